matrix_of <- function(numbers, words) matrix(numbers, nrow = length(words), dimnames = list(words, NULL))

round_trip <- function(x) {
  path <- tempfile(fileext = ".txt.gz")
  on.exit(unlink(path))
  vecboard:::write_vectors(x, path)
  vb_vectors(path)
}

test_that("doubles and words of any script are written with all digits", {
  set.seed(1)
  x <- matrix_of(c(rnorm(9), pi * 1e-12, -1 / 3, 1e20), c("\u00fcber", "\u6c11\u4e3b", "free-dom", "1990s"))
  expect_identical(round_trip(x), x)
})

test_that("numbers that are float32 are written as shortly as float32 needs", {
  single <- readBin(writeBin(rnorm(40), raw(), size = 4), "numeric", 40, size = 4)
  x <- matrix_of(single, paste0("word", 1:10))
  path <- tempfile(fileext = ".txt.gz")
  vecboard:::write_vectors(x, path)
  lines <- readLines(path)
  expect_true(all(nchar(gsub("[^0-9]", "", unlist(strsplit(lines[-1], " ")))) <= 12))
  back <- vb_vectors(path)
  expect_identical(readBin(writeBin(as.vector(back), raw(), size = 4), "numeric", 40, size = 4), single)
})

test_that("more rows than one block are written and read in order", {
  x <- matrix_of(seq_len(24002) / 8, paste0("w", 1:12001))
  expect_identical(round_trip(x), x)
})

test_that("what a text file cannot hold is refused with the word, the row and the remedy", {
  x <- matrix_of(1:6 / 2, c("one", "two", "three"))
  named <- function(words) { rownames(x) <- words; x }
  check <- vecboard:::check_vectors
  expect_refused(check(named(c("one", "New York", "three"))), "blank-in-word", "'New York' (row 2)")
  expect_refused(check(named(c("one", "two", "three\t"))), "blank-in-word", "underscores")
  expect_refused(check(named(c("one", "two", "one"))), "duplicate-word", "row 3")
  expect_refused(check(named(c("one", "", "three"))), "no-word", "Row 2")
  expect_refused(check(unname(x)), "no-words", "rownames(x)")
  x[2, 1] <- NaN
  expect_refused(check(x), "not-finite", "'two' (row 2)")
  expect_refused(check(matrix("a", dimnames = list("one", NULL))), "no-numbers", "character")
})

test_that("files with and without a header are read, whole or in part", {
  path <- tempfile(fileext = ".txt")
  writeLines(c("freedom 0.5 1", "New York 2 3", "equality -1e-3 4 "), path)
  x <- vb_vectors(path)
  expect_equal(rownames(x), c("freedom", "New York", "equality"))
  expect_equal(unname(x["equality", ]), c(-0.001, 4))
  expect_equal(rownames(vb_vectors(path, most = 2)), c("freedom", "New York"))
  expect_equal(rownames(vb_vectors(path, words = c("equality", "unknown"))), "equality")
  writeLines(c("2 2", "freedom 0.5 1", "equality 2 3"), path)
  expect_equal(dim(vb_vectors(path)), c(2L, 2L))
  writeLines(c("NA\t1\t2", "at 1 0.5 1", "\"#\" 5 6"), path)
  expect_equal(rownames(vb_vectors(path)), c("NA", "at 1", "\"#\""))
  writeLines(c("NA 1 2", "\"# 5 6", "' 7 8"), path)
  expect_equal(vb_vectors(path), matrix(c(1, 5, 7, 2, 6, 8), 3, dimnames = list(c("NA", "\"#", "'"), NULL)))
})

test_that("files of other formats and broken lines are refused", {
  path <- tempfile(fileext = ".txt")
  writeLines("a text", path)
  expect_refused(vb_vectors(path), "format", "save_word2vec_format")
  writeLines(c("freedom 0.5 1", "equality 2"), path)
  expect_refused(vb_vectors(path), "wrong-field-count", "not 2")
  writeLines(c("freedom 0.5 1", "equality 2 x"), path)
  expect_refused(vb_vectors(path), "not-a-number")
})

test_that("plain files are packed for the upload, and packed ones are sent as they are", {
  folder <- tempfile("vecboard-test-")
  dir.create(folder)
  path <- file.path(folder, "plain.txt")
  writeLines(c("freedom 0.5 1", "equality 2 3"), path)
  packed <- vecboard:::files_of(path, folder)[[1]]
  expect_equal(basename(packed), "plain.txt.gz")
  expect_identical(readLines(packed), readLines(path))
  expect_identical(vecboard:::files_of(packed, folder)[[1]], packed)
  runs <- vecboard:::files_of(list(matrix_of(1, "a"), path), folder)
  expect_equal(basename(unlist(runs)), c("run-1.txt.gz", "plain.txt.gz"))
})

test_that("what is not vectors is refused before anything is sent", {
  expect_refused(vb_submit(data.frame(a = 1), "x"), "data-frame", "as.matrix")
  expect_refused(vb_submit("nowhere.txt", "x"), "no-file", "nowhere.txt")
  expect_refused(vb_submit(list(), "x"), "no-file")
  expect_refused(vb_submit(matrix_of(1, "a"), ""), "name")
  expect_refused(vb_submit(matrix_of(1, "a"), "x", colour = "red"), "details", "colour")
})
