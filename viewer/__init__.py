"""Plays policies live: a robot that is driven and watched, in a browser or in MuJoCo's window."""
