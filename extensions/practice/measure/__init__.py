"""Correlations of columns over entries: which score predicts practice?"""
