# Against a real site: VECBOARD_URL, with a worker, and VECBOARD_EXAMPLE_VECTORS, a file that it can measure.

report_of_site <- local({
  kept <- NULL
  function() {
    if (is.null(kept)) {
      x <- vb_vectors(example_vectors())
      kept <<- vb_wait(vb_submit(x, "From a matrix", visibility = "public", description = "a test"), timeout = 1200)
    }
    kept
  }
})

test_that("a matrix becomes a report with tidy rows", {
  skip_without_site()
  report <- report_of_site()
  rows <- as.data.frame(report)
  x <- vb_vectors(example_vectors())
  expect_equal(report$vectors[c("words", "dimensions")], list(words = nrow(x), dimensions = ncol(x)))
  expect_true(any(!is.na(rows$error_reduction_percent)))
  expect_true(all(!is.na(rows$score) | nzchar(rows$reason)))
  expect_true(all(rows$tokens_known_fraction <= 1, na.rm = TRUE))
  measured <- rows[!is.na(rows$error_reduction_percent), ]
  one <- Find(function(one) one$task == measured$task[1] && identical(one$mode, measured$mode[1]), report$results)
  expect_equal(measured$error_reduction_percent[1], 100 * one$relative_error_reduction)
  expect_output(print(report), "Mean relative error reduction")
  expect_silent(plotted(report))
})

test_that("the file and the matrix read from it are the same vectors", {
  skip_without_site()
  hash <- report_of_site()$vectors$sha256
  again <- vb_submit(example_vectors(), "From a file", visibility = "public")
  vb_wait(again, timeout = 1200)
  expect_equal(vb_status(again)$vectors_sha256, hash)
})

test_that("the board has the entry, in wide and in long form", {
  skip_without_site()
  report <- report_of_site()
  board <- vb_board()
  rows <- as.data.frame(board)
  expect_true(report$id %in% rows$id)
  scores <- vb_scores(board)
  expect_equal(nrow(scores), nrow(rows) * nrow(board$columns))
  overall <- scores[scores$id %in% report$id & scores$column == "overall", ]
  expect_equal(100 * overall$score, rows$overall_error_reduction_percent[rows$id %in% report$id])
  expect_equal(overall$unit, "fraction")
  expect_output(print(board), "From a matrix")
  expect_silent(plotted(board))
  expect_refused(plot(board, "nowhere"), "unknown-column")
  expect_refused(vb_board("nowhere"), "not-found", "nowhere")
  expect_refused(vb_board(nowhere = 1), "unknown-parameter", "nowhere")
})

test_that("several runs are one submission", {
  skip_without_site()
  x <- vb_vectors(example_vectors())
  submission <- vb_submit(list(x, example_vectors()), "Two runs", visibility = "unlisted")
  expect_output(print(vb_status(submission)), "Two runs")
  expect_output(print(submission), submission$page, fixed = TRUE)
})

test_that("a file that the site rejects is an error with its place", {
  skip_without_site()
  path <- tempfile(fileext = ".txt")
  writeLines(c(paste0("word", 1:150, " 0.5 1"), "broken 1"), path)
  error <- error_in(vb_wait(vb_submit(path, "Broken", visibility = "unlisted"), timeout = 600))
  expect_equal(error[c("code", "line", "state")], list(code = "wrong-field-count", line = 151L, state = "rejected"))
})

test_that("vectors that are not offered are refused, and offered ones are a matrix", {
  skip_without_site()
  expect_refused(vb_vectors(report_of_site()$id), "not-offered", "Ask the owner")
  x <- vb_vectors(example_vectors())
  offered <- vb_submit(x, "Offered", visibility = "unlisted", offers_download = TRUE, licence = "CC0")
  expect_identical(vb_vectors(offered$id), x)
})

test_that("neighbours are those of the vectors", {
  skip_without_site()
  x <- vb_vectors(example_vectors())
  report <- report_of_site()
  found <- as.data.frame(vb_neighbours(report$id, rownames(x)[1], top = 3))
  unit <- x / sqrt(rowSums(x^2))
  cosines <- sort(drop(unit %*% unit[1, ])[-1], decreasing = TRUE)[1:3]
  expect_equal(found$neighbour, names(cosines))
  expect_equal(found$cosine, unname(cosines), tolerance = 1e-5)
})

test_that("entries are compared", {
  skip_without_site()
  board <- as.data.frame(vb_board())
  ids <- c(report_of_site()$id, board$id[board$name == "From a file"][1])
  found <- vb_compare(ids, reference = ids[2])
  expect_equal(found$reference, ids[2])
  expect_true(nrow(as.data.frame(found)) > 0)
  expect_output(print(found), "Comparison of 2 entries")
})

test_that("association tests are answered, or the reason is given", {
  skip_without_site()
  rows <- as.data.frame(vb_associations(report_of_site()$id, "parties-economy"))
  expect_true(!is.na(rows$d) || nzchar(rows$reason))
  expect_refused(vb_associations(report_of_site()$id, "no-such-test"), "no-test", "parties-economy")
})
