"""What every room needs and no room owns.

The one decorator for compiled code (`compiling`), the random streams (`random`), the user's cache
folder (`folders`), atomic writing (`files`) and the message for a missing extra (`extras`).
Imports nothing from the package.
"""
