library(testthat)
library(vecboard)

test_check("vecboard")
