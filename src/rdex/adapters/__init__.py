"""rdex inside other packages, and their problems inside rdex.

One module per package, named after it; each needs the extra of the same name, and nothing here is
imported before it is asked for. Stands above everything but the command line.
"""
