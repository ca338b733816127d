# Settings, requests to the API, and errors as conditions.

DEFAULT_URL <- "http://127.0.0.1:8000"
LOCAL <- c("127.0.0.1", "localhost", "::1", "[::1]")
BUSY <- c(429L, 502L, 503L, 504L) # statuses after which the same request may succeed later
MOST_WAIT <- 60 # seconds that a request waits by itself; a longer Retry-After is an error that names it
MOST_TRIES <- 5

secrets <- new.env(parent = emptyenv()) # the secret of every submission of this session, by its URL

setting <- function(given, option, variable, default = "") {
  if (!is.null(given) && nzchar(given)) {
    return(given)
  }
  set <- getOption(option)
  if (is.null(set)) set <- Sys.getenv(variable)
  if (nzchar(set)) set else default
}

site_url <- function(url = NULL) {
  url <- sub("/+$", "", trimws(setting(url, "vecboard.url", "VECBOARD_URL", DEFAULT_URL)))
  if (!grepl("^https?://[^/]+", url)) {
    refuse("server", "'", url, "' is not the URL of a site; write it like https://vecboard.example.")
  }
  url
}

host_of <- function(url) sub("^https?://(\\[[^]]*\\]|[^/:]*).*$", "\\1", url)

# The account's token: given, set, or stored by the command `vecboard login`.
token_for <- function(url, token = NULL) {
  token <- setting(token, "vecboard.token", "VECBOARD_TOKEN")
  if (nzchar(token)) token else keyring_of(url)$token %||% ""
}

# The key of one submission: its own secret, else the account's token.
key_for <- function(url, id, token = NULL) {
  if (!is.null(token) && nzchar(token)) {
    return(token)
  }
  secrets[[paste(url, id)]] %||% keyring_of(url)$submissions[[id]] %||% token_for(url)
}

keyring_of <- function(url) {
  folder <- Sys.getenv("XDG_CONFIG_HOME", file.path(path.expand("~"), ".config"))
  path <- Sys.getenv("VECBOARD_KEYRING", file.path(folder, "vecboard", "keyring.json"))
  if (!file.exists(path)) {
    return(list())
  }
  if (.Platform$OS.type == "unix" && bitwAnd(as.integer(file.info(path)$mode), 63L) != 0L) { # octal 077
    refuse("open-keyring", "Others can read the keyring ", path, ". Protect it with: chmod 600 ", path)
  }
  jsonlite::fromJSON(path, simplifyVector = FALSE)[[url]] %||% list()
}

`%||%` <- function(x, y) if (is.null(x)) y else x

# Text that programs read, whatever the options of R's own output.
plain <- function(value) {
  old <- options(OutDec = ".", scipen = 100)
  on.exit(options(old))
  as.character(value)
}

# A value of a JSON answer, whose null is NA in a data frame.
or_na <- function(x, kind = NA_real_) if (is.null(x)) kind else x

vecboard_error <- function(code, message, ..., call = NULL) {
  structure(class = c("vecboard_error", "error", "condition"), list(message = message, call = call, code = code, ...))
}

refuse <- function(code, ...) stop(vecboard_error(code, paste0(...)))

request_to <- function(url, path, token = "", query = list()) {
  if (nzchar(token) && startsWith(url, "http:") && !host_of(url) %in% LOCAL) {
    refuse("insecure", "The token is not sent to ", url, ": without https, others could read it.")
  }
  request <- httr2::request(paste0(url, "/api/v1", path))
  request <- httr2::req_user_agent(request, paste0("vecboard-r/", utils::packageVersion("vecboard")))
  request <- httr2::req_timeout(request, 600)
  if (length(query)) {
    text <- unlist(lapply(query, plain))
    names(text) <- rep(names(query), lengths(query)) # a parameter with several values is repeated
    pairs <- paste0(names(text), "=", vapply(text, utils::URLencode, "", reserved = TRUE), collapse = "&")
    request <- httr2::req_url(request, paste0(url, "/api/v1", path, "?", pairs))
  }
  if (nzchar(token)) httr2::req_auth_bearer_token(request, token) else request
}

# Send a request. Those that may be repeated without harm are retried, as late as Retry-After demands.
perform <- function(request, again = TRUE, accept = integer(), path = NULL) {
  request <- httr2::req_error(request, is_error = function(response) FALSE)
  if (again) {
    request <- httr2::req_retry(
      request,
      max_tries = MOST_TRIES,
      is_transient = function(response) {
        httr2::resp_status(response) %in% BUSY && isTRUE(retry_after(response, 0) <= MOST_WAIT)
      }
    )
  }
  response <- tryCatch(
    httr2::req_perform(request, path = path),
    error = function(error) {
      site <- sub("/api/v1.*$", "", request$url)
      refuse(
        "unreachable", site, " does not answer (", conditionMessage(error), "). Is the site running, and is this its ",
        "URL (argument url, options(vecboard.url = ), VECBOARD_URL)?"
      )
    }
  )
  status <- httr2::resp_status(response)
  if (status >= 400 && !status %in% accept) stop(error_of(response))
  response
}

retry_after <- function(response, default = NA_real_) {
  value <- suppressWarnings(httr2::resp_retry_after(response))
  if (length(value) && !is.na(value)) as.numeric(value) else default
}

# The API's error as a condition: what is wrong, where, and what to do.
error_of <- function(response) {
  status <- httr2::resp_status(response)
  error <- tryCatch(json_of(response)$error, error = function(e) NULL)
  wait <- retry_after(response)
  if (!is.list(error)) {
    error <- list(code = "status", message = paste0(
      "The site answered with status ", status, " and no reason. Is the URL that of a Vecboard site?"
    ))
  }
  message <- error$message
  if (!is.na(wait)) message <- paste0(message, " Try again in ", wait, " seconds.")
  vecboard_error(
    error$code, message,
    field = error$field, line = error$line, word = error$word, status = status,
    retry_after = if (is.na(wait)) NULL else wait
  )
}

json_of <- function(response) jsonlite::fromJSON(httr2::resp_body_string(response), simplifyVector = FALSE)

# The JSON of a GET. An answer of 202 says that a worker prepares what was asked: it is asked again, up to a time limit.
get_json <- function(url, path, token = "", query = list(), timeout = 600) {
  deadline <- Sys.time() + timeout
  repeat {
    response <- perform(request_to(url, path, token, query))
    if (httr2::resp_status(response) != 202) {
      return(json_of(response))
    }
    pause <- retry_after(response, 5)
    if (Sys.time() + pause > deadline) {
      refuse("preparing", json_of(response)$preparing %||% "A worker prepares the answer.", " Ask again later.")
    }
    Sys.sleep(pause)
  }
}

# The ids of entries: given, or those of submissions, reports and the rows of a board.
ids_of <- function(x) {
  if (inherits(x, c("vb_submission", "vb_status", "vb_report"))) {
    return(x$id)
  }
  if (inherits(x, "vb_board")) x <- x$entries
  if (is.data.frame(x)) x <- x$id
  if (is.list(x)) x <- vapply(x, ids_of, "")
  if (!is.character(x) || anyNA(x) || !all(grepl("^[A-Za-z0-9_-]+$", x))) {
    refuse("id", "That is not the id of an entry: give ids as text, as vb_board() lists them.")
  }
  x
}

id_of <- function(x) {
  id <- ids_of(x)
  if (length(id) != 1) refuse("id", "Give one entry; these are ", length(id), ".")
  id
}

bind <- function(rows) do.call(rbind, c(Filter(Negate(is.null), rows), list(stringsAsFactors = FALSE)))

# A row, or several, for each record. Without records, the columns are those of a blank one, so that code that names
# them works on an empty answer too.
rows_of <- function(records, make, blank = list()) {
  if (length(records)) bind(lapply(records, make)) else make(blank)[0, ]
}

# An element by name; NA where there is none.
named <- function(values, name) unname(values[or_na(name, NA_character_)])

# A column of a list of records; null becomes NA.
column <- function(records, name, kind) {
  vapply(records, function(record) {
    value <- or_na(record[[name]], kind[NA_integer_])
    if (is.numeric(kind)) as.numeric(value) else value
  }, kind[NA_integer_])
}

end_of <- function(interval, i) if (length(interval) == 2) interval[[i]] else NA_real_

percent <- function(x) ifelse(is.na(x), "-", sprintf("%+.2f %%", x))

# Values with intervals, one per row, the first on top.
forest <- function(labels, value, low, high, xlab, main = "", at = 0) {
  kept <- !is.na(value)
  if (!any(kept)) {
    refuse("nothing", "There is no value to plot.")
  }
  labels <- labels[kept]
  value <- value[kept]
  low <- ifelse(is.na(low[kept]), value, low[kept])
  high <- ifelse(is.na(high[kept]), value, high[kept])
  widest <- max(nchar(labels))
  old <- graphics::par(mar = c(4.5, min(2 + 0.45 * widest, 18), 3, 1))
  on.exit(graphics::par(old))
  y <- rev(seq_along(value))
  graphics::plot(
    value, y,
    xlim = range(low, high, at), ylim = c(0.5, length(y) + 0.5), yaxt = "n", ylab = "", xlab = xlab, main = main,
    pch = 19
  )
  graphics::abline(v = at, lty = 2)
  graphics::segments(low, y, high, y)
  graphics::axis(2, at = y, labels = labels, las = 1, cex.axis = 0.8)
}
