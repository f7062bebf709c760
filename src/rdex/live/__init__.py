"""The live view of a run: what a file says of it now, and a page on this machine that shows it.

A file of evaluations, a checkpoint or the folder of a campaign is read again and again. Nothing is
written, so that the run may go on meanwhile, in another process or on another machine that shares
the folder. Imports `store`, `evaluation` and what is to their left.
"""
