# Through the program of a clone: VECBOARD_FOLDER and, for its interpreter, VECBOARD_PYTHON.

WORDS <- paste0("word", letters[rep(1:4, each = 10)], letters[1:10])
DIMENSIONS <- 5

speeches <- function(count = 100) {
  set.seed(2)
  lapply(seq_len(count), function(i) {
    list(text = paste(sample(WORDS, 40, TRUE), collapse = " "), party = c("left", "right")[1 + i %% 2], year = 1900 + i)
  })
}

corpus_file <- function(documents) {
  path <- tempfile("my corpus-", fileext = ".jsonl")
  writeLines(vapply(documents, jsonlite::toJSON, "", auto_unbox = TRUE), path)
  path
}

vectors <- function() {
  set.seed(3)
  # one more than a hundred words, the least that a vector file has
  others <- paste0("other", letters[rep(1:7, each = 10)], letters[1:10])
  matrix(round(rnorm(110 * DIMENSIONS), 3), ncol = DIMENSIONS, dimnames = list(c(WORDS, others), NULL))
}

# The least squares of conText's compute_transform: mean contexts to vectors, weighted by the log of the counts.
transformation_of <- function(documents, x) {
  sums <- matrix(0, length(WORDS), DIMENSIONS, dimnames = list(WORDS, NULL))
  counts <- stats::setNames(numeric(length(WORDS)), WORDS)
  for (document in documents) {
    tokens <- strsplit(document$text, " ")[[1]]
    for (i in seq_along(tokens)) {
      near <- setdiff(max(1, i - 6):min(length(tokens), i + 6), i)
      sums[tokens[i], ] <- sums[tokens[i], ] + colMeans(x[tokens[near], , drop = FALSE])
      counts[tokens[i]] <- counts[tokens[i]] + 1
    }
  }
  stopifnot(all(counts >= 50))
  weight <- sqrt(log(counts))
  unname(t(qr.solve(weight * sums / counts, weight * x[WORDS, ])))
}

test_that("the transformation is the one that conText computes, ready for transform_matrix", {
  skip_without_clone()
  documents <- speeches()
  x <- vectors()
  found <- vb_contexts(corpus_file(documents), x, WORDS[1:2], by = "party", transformation = TRUE)
  expect_equal(dim(found$transformation), c(DIMENSIONS, DIMENSIONS))
  expect_equal(dimnames(found$transformation), rep(list(paste0("d", 1:DIMENSIONS)), 2))
  single <- x
  single[] <- readBin(writeBin(as.vector(x), raw(), size = 4), "numeric", length(x), size = 4)
  expect_equal(unname(found$transformation), transformation_of(documents, single), tolerance = 1e-8)
})

test_that("names of groups may hold commas and quotation marks", {
  skip_without_clone()
  names <- c(left = "Smith, John", right = "Doe \"JD\", Jane")
  documents <- lapply(speeches(), function(one) utils::modifyList(one, list(party = names[[one$party]])))
  rows <- as.data.frame(vb_contexts(corpus_file(documents), vectors(), WORDS[1], by = "party", groups = unname(names)))
  expect_equal(rows$coefficient, paste("party:", names[["right"]]))
  expect_equal(rows$compared_with, names[["left"]])
})

test_that("numbers have a decimal point whatever R writes", {
  old <- options(OutDec = ",", scipen = -20)
  on.exit(options(old))
  expect_equal(options_of(list(at = 1939.5, dimensions = 100000)), c("--at", "1939.5", "--dimensions", "100000"))
  expect_match(request_to("http://127.0.0.1:1", "/board", query = list(least = 0.5))$url, "least=0.5", fixed = TRUE)
})

test_that("groups and formulas give a row for each target and coefficient, and words without a result their reason", {
  skip_without_clone()
  corpus <- corpus_file(speeches())
  by <- vb_contexts(corpus, vectors(), c(WORDS[1], "nowhere"), by = "party", groups = c("left", "right"))
  rows <- as.data.frame(by)
  expect_equal(rows$target, c(WORDS[1], "nowhere"))
  expect_true(rows$p[1] > 0 && rows$p[1] <= 1)
  expect_match(rows$reason[2], "does not occur")
  expect_output(print(by), paste0(WORDS[1], ".: left: [0-9]+ documents, [0-9]+ times; right: .* in four of five cases"))
  expect_silent(plotted(by))
  formula <- vb_contexts(corpus, vectors(), WORDS[1], formula = ~ party + year)
  expect_output(print(formula), "squared distance of [0-9.]+ .party: right., [0-9.e-]+ .year. would be found")
  both <- as.data.frame(formula)
  expect_equal(both$coefficient, c("party: right", "year"))
  expect_equal(both$compared_with, c("left", NA))
  expect_equal(c(rows$coefficient[1], rows$compared_with[1]), c("party: right", "left")) # as in a formula
  expect_true(all(both$detectable > 0))
  near <- as.data.frame(by, what = "nearest")
  expect_equal(unique(near$towards), c("left", "right"))
  expect_equal(near$rank[near$towards == "right"], 1:10)
  expect_true(all(diff(near$cosine[1:10]) <= 0))
  expect_equal(unique(as.data.frame(formula, what = "nearest")$towards), c("right", "left", "more year", "less year"))
})

test_that("speakers are counted and named, and so few that nothing could be found are a sentence", {
  skip_without_clone()
  documents <- lapply(seq_along(speeches()), function(i) c(speeches()[[i]], list(who = paste0(i %% 2, i %% 6))))
  found <- vb_contexts(corpus_file(documents), vectors(), WORDS[1], by = "party", group_by = "who")
  expect_output(print(found), "left: 3 values of who, .* right: 3 values of who, .* cannot show a difference")
})

test_that("progress of a program is passed on, and its other messages and status are kept", {
  skip_on_os("windows")
  said <- NULL
  shown <- utils::capture.output(
    said <- passed_on(pipe("printf 'comparing:  3 %% |## | [00:01, 00:20 left] step 1\\rwrong\\n'; exit 2")),
    type = "message"
  )
  expect_equal(said, list(lines = "wrong", status = 2L))
})

test_that("a wrong field is the program's own error", {
  skip_without_clone()
  expect_refused(vb_contexts(corpus_file(speeches()), vectors(), WORDS[1], by = "speaker"), "script", "they have party, year")
})

test_that("trained runs have their criteria, are read as matrices and can be submitted with them", {
  skip_without_clone()
  corpus <- corpus_file(speeches(200))
  training <- suppressMessages(vb_train(corpus, dimensions = 4, minimum_count = 1, runs = 2, iterations = 2, processes = 1))
  rows <- as.data.frame(training)
  expect_equal(rows$seed, 1:2)
  expect_equal(dim(vb_vectors(rows$file[1])), c(length(WORDS), 4L))
  expect_output(print(training), "vb_vectors")
  expect_silent(plotted(training))
  details <- vecboard:::details_of(training)
  expect_equal(details[c("window", "tokens")], list(window = rows$window[1], tokens = rows$tokens[1]))
  expect_true(all(names(details) %in% vecboard:::DETAILS))
  expect_equal(vecboard:::files_of(training, tempdir()), as.list(rows$file))
})

test_that("published vectors that do not exist are refused with the list", {
  skip_without_clone()
  expect_refused(vb_vectors("no-such-vectors"), "script", "glove-6b-50d")
})

test_that("the question whether pre-trained vectors suffice is answered in sentences", {
  skip_without_clone()
  words <- paste0("w", as.vector(outer(outer(letters[1:10], letters[1:10], paste0), letters[1:12], paste0)))
  set.seed(4)
  documents <- lapply(1:300, function(i) { # each from the words of one of ten topics
    list(text = paste(sample(words[seq(1 + i %% 10, length(words), 10)], 150, TRUE), collapse = " "))
  })
  x <- matrix(round(rnorm(length(words) * 5), 3), ncol = 5, dimnames = list(words, NULL))
  expect_message(
    found <- vb_suffices(
      corpus_file(documents), x, cues = words[1:3], repeats = 1, random_cues = 10, dimensions = 5, progress = TRUE
    ),
    "takes minutes"
  )
  expect_output(print(found), "[.]")
  expect_true(nrow(as.data.frame(found)) > 0)
})

test_that("a claim has an answer, a row for every option, and a plot", {
  skip_without_clone()
  set.seed(5)
  documents <- lapply(1:60, function(i) { # the parties say the first word among different others
    near <- if (i %% 2) WORDS[2:15] else WORDS[16:30]
    said <- sample(c(WORDS, near, near), 60, TRUE)
    said[seq(5, 60, 10)] <- WORDS[1]
    list(text = paste(said, collapse = " "), party = c("left", "right")[1 + i %% 2], who = paste(i %% 20))
  })
  quick <- list(windows = 2, dimensions = c(3, 5), samples = 3, deals = 99, minimum_count = 5, processes = 1)
  found <- do.call(vb_claim, c(list(corpus_file(documents), "groups", WORDS[1], "party", "who"), quick))
  expect_output(print(found), "4 models")
  expect_true(found$p <= 0.05)
  rows <- as.data.frame(found)
  expect_equal(rows$option[rows$choice == "dimensions"], c("3", "5"))
  expect_silent(plotted(found))
  lists <- list(WORDS[1:3], WORDS[4:6], WORDS[7:9], WORDS[10:12])
  tested <- do.call(vb_claim, c(list(corpus_file(documents), "association", lists), quick))
  expect_equal(sum(as.data.frame(tested)$choice == "lists"), 13) # each word, and none
  expect_refused(vb_claim(corpus_file(documents), "drift", WORDS[1]), "script", "--by")
})

test_that("Python does not get the libraries that R puts before all others", {
  old <- Sys.getenv("LD_LIBRARY_PATH")
  on.exit(Sys.setenv(LD_LIBRARY_PATH = old))
  Sys.setenv(LD_LIBRARY_PATH = paste(
    c(R.home("lib"), "/usr/lib/x86_64-linux-gnu", "/usr/lib/jvm/default-java/lib/server", "/opt/mine/lib"),
    collapse = ":"
  ))
  expect_equal(vecboard:::libraries_without_those_of_r(), "/opt/mine/lib")
})

test_that("a folder that is not a clone and a missing interpreter are errors with the remedy", {
  old <- options(vecboard.folder = tempdir())
  on.exit(options(old))
  expect_refused(vb_train("sotu"), "no-clone", "vecboard.folder")
  skip_without_clone()
  options(vecboard.folder = Sys.getenv("VECBOARD_FOLDER"), vecboard.python = "no-such-python")
  on.exit(options(vecboard.python = NULL), add = TRUE)
  expect_refused(vb_train("sotu"), "no-python", "vecboard.python")
})
