"""The write side: planned by the reader, approved by digest, carried out without git, verified, undoable.

Nothing that reads imports any of it. `Writer` is the way in.
"""
