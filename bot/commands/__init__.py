"""Commands, one file each: every module holds one object that is called as the module."""
