"""Bars: a file each, named like the task file whose policies it judges, with a record `BAR`."""
