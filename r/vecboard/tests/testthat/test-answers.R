# Answers in the form of the API, as tables.

from_json <- function(text, class) structure(jsonlite::fromJSON(text, simplifyVector = FALSE), class = class)

test_that("a comparison has rows in per cent, and blanks with a reason", {
  found <- from_json('{
    "address": "https://vecboard.example/compare?e=a&e=b", "suite": "demo", "reference": "a",
    "entries": [{"letter": "A", "id": "a", "name": "First"}, {"letter": "B", "id": "b", "name": "Second"}],
    "verdict": {"title": "Second is better overall.", "details": ["On 1 of 2 cells."], "note": "Holm."}, "tests": 2,
    "columns": [{"key": "overall", "title": "Overall", "group": "Mean"}, {"key": "pos.fixed", "title": "Tags", "group": "Fixed"}],
    "scores": [{"entry": "a", "column": "overall", "score": 0.1, "interval": [0.05, 0.15], "reason": ""}],
    "differences": [
      {"entry": "b", "against": "a", "column": "overall", "difference": 0.02, "interval": [0.01, 0.03], "p": 0.01,
       "p_corrected": 0.02, "significant": true, "detectable": 0.02, "reason": ""},
      {"entry": "b", "against": "a", "column": "pos.fixed", "difference": null, "interval": null, "p": null,
       "p_corrected": null, "significant": false, "detectable": null, "reason": "No data."}],
    "correlations": [{"entry": "b", "task": "sim", "title": "Similarity", "pairs": 10, "common_pairs": 9,
       "correlation": 0.5, "correlation_of_own_pairs": 0.4, "p": null, "p_corrected": null, "p_of_williams": null,
       "significant": false}], "pairs": null}', "vb_compare")
  rows <- as.data.frame(found)
  expect_equal(rows$difference_percent, c(2, NA))
  expect_equal(rows$high_percent, c(3, NA))
  expect_equal(rows$against, c("First", "First"))
  expect_equal(rows$reason[2], "No data.")
  expect_equal(as.data.frame(found, what = "scores")$score_percent, 10)
  expect_equal(as.data.frame(found, what = "correlations")$correlation, 0.5)
  expect_output(print(found), "Second is better overall")
  expect_silent(plotted(found))
})

test_that("neighbours have a row each, and an unknown word one with its reason", {
  found <- from_json('{"entry": "a", "name": "First", "among": "all words of the file", "words": [
    {"word": "one", "found": "one", "neighbours": [{"word": "two", "cosine": 0.9}, {"word": "three", "cosine": 0.8}], "reason": ""},
    {"word": "nowhere", "found": null, "neighbours": [], "reason": "It is not in the vocabulary."}]}', "vb_neighbours")
  rows <- as.data.frame(found)
  expect_equal(rows$neighbour, c("two", "three", NA))
  expect_equal(rows$rank, c(1, 2, NA))
  expect_equal(rows$reason[3], "It is not in the vocabulary.")
  expect_output(print(found), "one: two 0.900, three 0.800")
  expect_silent(plotted(found))
})

test_that("associations have a row per entry or word, and missing results their reason", {
  found <- from_json('{"address": "", "test": "weat-6", "caution": "Careful.",
    "targets": [{"name": "male", "words": ["he"]}, {"name": "female", "words": ["she"]}],
    "attributes": [{"name": "career", "words": ["office"]}, {"name": "family", "words": ["home"]}],
    "entries": [
      {"id": "a", "name": "First", "d": 1.2, "p": 0.01, "interval": [0.8, 1.5], "partitions": 70, "exact": true,
       "words": {}, "missing": ["Bob"], "single": {"he": {"d": 0.5, "p": 0.1}, "she": {"d": null, "p": 1}}},
      {"id": "b", "name": "Second", "problem": "Its vectors are missing."}]}', "vb_associations")
  rows <- as.data.frame(found)
  expect_equal(rows$d, c(1.2, NA))
  expect_equal(rows$d_high, c(1.5, NA))
  expect_equal(rows$missing_words, c(1, 0))
  expect_equal(rows$reason, c(NA, "Its vectors are missing."))
  expect_equal(as.data.frame(found, what = "words")$d, c(0.5, NA))
  expect_output(print(found), "Are male, rather than female, nearer to career than to family?", fixed = TRUE)
  expect_silent(plotted(found))
})

test_that("an answer of suffices prints every sentence", {
  found <- from_json('{"version": 1, "sentence": "glove suffices. The largest area is its own.", "decisions": [
    {"candidate": "glove", "verdict": "suffices", "difference": {"mean": -0.01, "interval": [-0.02, 0.01]},
     "tokens_to_decide": null, "sentence": "glove suffices."},
    {"candidate": "a-la-carte:glove", "verdict": "undecided", "difference": {"mean": 0, "interval": null},
     "tokens_to_decide": 9000, "sentence": "glove, a la carte: too close to call."}],
    "curve": [{"candidate": "local", "tokens": 1000, "auc": {"mean": 0.7, "interval": null}}], "settings": []}', "vb_suffices")
  expect_equal(
    utils::capture.output(print(found)),
    c("glove suffices. The largest area is its own.", "glove, a la carte: too close to call.")
  )
  expect_equal(as.data.frame(found)$difference_fraction, c(-0.01, 0))
  expect_equal(as.data.frame(found, what = "curve")$auc_fraction, 0.7)
  expect_silent(plotted(found))
})

test_that("empty answers have the columns of full ones", {
  empty <- structure(list(entries = list(), columns = list(), differences = list(), scores = list(), correlations = list()), class = "vb_compare")
  expect_equal(nrow(as.data.frame(empty)), 0)
  expect_true(all(c("difference_percent", "p_corrected", "reason") %in% names(as.data.frame(empty))))
  expect_true("correlation" %in% names(as.data.frame(empty, what = "correlations")))
  columns <- data.frame(key = "overall", title = "Overall", group = "Mean", kind = "reduction", better = "high", unit = "fraction")
  board <- structure(list(columns = columns, records = list()), class = "vb_board")
  expect_equal(nrow(vb_scores(board)), 0)
  expect_true(all(c("column", "score", "reason") %in% names(vb_scores(board))))
})
