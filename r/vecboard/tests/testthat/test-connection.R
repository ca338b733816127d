answer <- function(status, body, headers = "") {
  httr2::response(status, headers = c("Content-Type: application/json", headers), body = charToRaw(enc2utf8(body)))
}

with_answers <- function(answers, code) {
  asked <- character()
  old <- options(httr2_mock = function(request) {
    asked <<- c(asked, request$url)
    found <- answers[[1]]
    if (length(answers) > 1) answers <<- answers[-1]
    found
  })
  on.exit(options(old))
  value <- force(code)
  list(value = value, asked = asked)
}

with_variables <- function(variables, code) {
  old <- Sys.getenv(names(variables), NA, names = TRUE)
  on.exit({
    Sys.unsetenv(names(old)[is.na(old)])
    do.call(Sys.setenv, c(as.list(old[!is.na(old)]), list(VECBOARD_R = "")))
  })
  do.call(Sys.setenv, as.list(variables))
  force(code)
}

test_that("the address is the argument, the option, the variable or this machine, in this order", {
  with_variables(c(VECBOARD_URL = "https://variable.example/"), {
    expect_equal(vecboard:::site_url(), "https://variable.example")
    old <- options(vecboard.url = "https://option.example")
    expect_equal(vecboard:::site_url(), "https://option.example")
    expect_equal(vecboard:::site_url("https://argument.example"), "https://argument.example")
    options(old)
  })
  with_variables(c(VECBOARD_URL = ""), expect_equal(vecboard:::site_url(), "http://127.0.0.1:8000"))
  expect_refused(vb_board(url = "vecboard.example"), "server", "https://")
})

test_that("a token is sent over https and to this machine only", {
  expect_refused(vb_status("abc", url = "http://vecboard.example", token = "secret"), "insecure", "without https")
  for (url in c("https://vecboard.example", "http://127.0.0.1:9", "http://localhost")) {
    expect_equal(vecboard:::request_to(url, "/me", "secret")$url, paste0(url, "/api/v1/me"))
  }
})

test_that("the token and the secrets of the client's keyring are used, unless others can read it", {
  path <- tempfile()
  writeLines('{"https://vecboard.example": {"token": "mine", "submissions": {"abc": "its own"}}}', path)
  Sys.chmod(path, "600", use_umask = FALSE)
  with_variables(c(VECBOARD_KEYRING = path, VECBOARD_TOKEN = ""), {
    expect_equal(vecboard:::token_for("https://vecboard.example"), "mine")
    expect_equal(vecboard:::key_for("https://vecboard.example", "abc"), "its own")
    expect_equal(vecboard:::key_for("https://vecboard.example", "other"), "mine")
    expect_equal(vecboard:::token_for("https://other.example"), "")
    skip_on_os("windows")
    Sys.chmod(path, "644", use_umask = FALSE)
    expect_refused(vecboard:::token_for("https://vecboard.example"), "open-keyring", "chmod 600")
  })
})

test_that("a site that does not answer is an error with the remedy", {
  expect_refused(vb_board(url = "http://127.0.0.1:9"), "unreachable", "Is the site running")
})

test_that("an error of the API is a condition that says what, where and what to do", {
  body <- '{"error": {"code": "not-a-number", "message": "Line 3 is wrong. Correct it.", "line": 3, "word": "\u00fcber"}}'
  error <- vecboard:::error_of(answer(400, body))
  expect_s3_class(error, c("vecboard_error", "error", "condition"), exact = TRUE)
  expect_equal(conditionMessage(error), "Line 3 is wrong. Correct it.")
  expect_equal(error[c("code", "line", "word", "status")], list(code = "not-a-number", line = 3L, word = "\u00fcber", status = 400L))
})

test_that("a busy site's Retry-After is named where it is too long to wait for", {
  busy <- answer(429, '{"error": {"code": "too-many", "message": "Too many files today."}}', "Retry-After: 3600")
  error <- error_in(with_answers(list(busy), vb_board(url = "https://vecboard.example")))
  expect_equal(error$retry_after, 3600)
  expect_match(conditionMessage(error), "Try again in 3600 seconds.", fixed = TRUE)
})

test_that("an answer that is being prepared is asked for again", {
  ready <- answer(200, '{"entry": "abc", "name": "x", "among": "all", "words": []}')
  waiting <- answer(202, '{"preparing": "A worker prepares it."}', "Retry-After: 0")
  found <- with_answers(list(waiting, waiting, ready), vb_neighbours("abc", "a", url = "https://vecboard.example"))
  expect_length(found$asked, 3)
  expect_s3_class(found$value, "vb_neighbours")
})

test_that("words, ids and filters are encoded as the API expects them", {
  ready <- answer(200, '{"entry": "abc", "name": "x", "among": "all", "words": []}')
  found <- with_answers(list(ready), vb_neighbours("abc", c("\u00fcber", "a&b"), 5, url = "https://vecboard.example"))
  expect_equal(found$asked, "https://vecboard.example/api/v1/entries/abc/neighbours?words=%C3%BCber%2Ca%26b&top=5")
  expect_refused(vb_report("../me"), "id")
  expect_refused(vb_report(c("a", "b")), "id", "Give one entry")
})

test_that("a submission that ends without a report is an error with the site's reason", {
  body <- paste0(
    '{"id": "abc", "name": "mine", "state": "rejected", "progress": {"share": 0, "done": 0, "total": 0}, "warnings": [], ',
    '"error": {"code": "wild-row", "message": "Row 7 is wild.", "line": 7}}'
  )
  error <- error_in(with_answers(list(answer(200, body)), vb_wait("abc", url = "https://vecboard.example")))
  expect_equal(error[c("code", "line", "state")], list(code = "wild-row", line = 7L, state = "rejected"))
  expect_match(conditionMessage(error), "mine was rejected. Row 7 is wild.", fixed = TRUE)
})

test_that("waiting ends at the time limit, and the evaluation continues", {
  body <- '{"id": "abc", "name": "mine", "state": "running", "progress": {"share": 0.5, "done": 1, "total": 2}, "warnings": []}'
  running <- answer(200, body, "Retry-After: 5")
  expect_refused(with_answers(list(running), vb_wait("abc", timeout = 2, url = "https://vecboard.example")), "not-yet", "continues")
})

test_that("a broken upload goes on from the bytes that have arrived", {
  path <- tempfile()
  writeBin(as.raw(0:9), path)
  upload <- list(id = "abc", token = "secret", piece_bytes = 4)
  at <- function(offset, status = 200) answer(status, paste0('{"offset": ', offset, "}"))
  lost <- answer(503, '{"error": {"code": "busy", "message": "Busy."}}', "Retry-After: 0")
  where <- answer(200, '{"files": [{"offset": 6}]}')
  sent <- with_answers(list(at(4), lost, where, at(8, 409), at(10)), {
    vecboard:::send_file("https://vecboard.example", upload, 1, path, "")
  })
  expect_equal(sub(".*offset=", "", sent$asked[c(1, 2, 4, 5)]), c("0", "4", "6", "8"))
  expect_equal(sent$asked[3], "https://vecboard.example/api/v1/uploads/abc")
  refused <- answer(507, '{"error": {"code": "no-space", "message": "The site is full."}}')
  expect_refused(
    with_answers(list(refused), vecboard:::send_file("https://vecboard.example", upload, 1, path, "")), "no-space"
  )
})
