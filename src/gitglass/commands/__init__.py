"""One file per git command, named as git names it; `registry` finds them."""
