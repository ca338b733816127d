"""Do pre-trained vectors suffice for a corpus, or should one train on it (Rodriguez & Spirling 2019)?"""
