"""How long are the words of vectors? To try it: copy this folder to ``extensions/lengths``, add its line there."""
