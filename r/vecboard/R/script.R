# Functions that run the program of a clone: train, contexts, suffices, claim.

clone_folder <- function() {
  folder <- setting(NULL, "vecboard.folder", "VECBOARD_FOLDER", getwd())
  if (!dir.exists(file.path(folder, "tasks"))) {
    refuse(
      "no-clone", folder, " is not a clone of Vecboard, which this function runs. Set options(vecboard.folder = ) or ",
      "VECBOARD_FOLDER to it."
    )
  }
  normalizePath(folder)
}

# The interpreter: set, else that of the clone's environment.
python_of <- function(folder) {
  own <- file.path(folder, ".venv", if (.Platform$OS.type == "windows") "Scripts/python.exe" else "bin/python")
  setting(NULL, "vecboard.python", "VECBOARD_PYTHON", if (file.exists(own)) own else "python3")
}

# R puts its own library, the system's and Java's before all others, where a Python from elsewhere would find the
# system's libpython instead of its own. The system's are found without being named.
libraries_without_those_of_r <- function() {
  paths <- strsplit(Sys.getenv("LD_LIBRARY_PATH"), ":", fixed = TRUE)[[1]]
  is_of_system <- grepl("^(/usr)?/lib(64)?(/[^/]*-linux-gnu[^/]*)?/?$", paths)
  paste(paths[!is_of_system & paths != R.home("lib") & !grepl("/jvm/", paths)], collapse = ":")
}

# Run Python with the modules of the clone, in R's working directory; return its output. A status that is not among
# `fine` is an error with the program's own sentence. With `progress`, its progress bar is passed on.
run_python <- function(arguments, fine = 0L, progress = FALSE) {
  folder <- clone_folder()
  python <- python_of(folder)
  paths <- c(folder, strsplit(Sys.getenv("PYTHONPATH"), .Platform$path.sep, fixed = TRUE)[[1]])
  own <- c(PYTHONPATH = paste(paths, collapse = .Platform$path.sep), LD_LIBRARY_PATH = libraries_without_those_of_r())
  if (progress) own <- c(own, VECBOARD_PROGRESS = "1", TQDM_MININTERVAL = "2")
  old <- Sys.getenv(names(own), unset = NA, names = TRUE)
  do.call(Sys.setenv, as.list(own))
  on.exit({
    Sys.unsetenv(names(old)[is.na(old)])
    if (!all(is.na(old))) do.call(Sys.setenv, as.list(old[!is.na(old)]))
  })
  out <- tempfile("vecboard-")
  errors <- tempfile("vecboard-")
  on.exit(unlink(c(out, errors)), add = TRUE)
  # -P: modules come from the clone, not from a folder named tasks in R's working directory.
  arguments <- shQuote(c("-P", arguments))
  if (progress && .Platform$OS.type == "unix") {
    command <- paste(c(shQuote(python), arguments, "2>&1", ">", shQuote(out)), collapse = " ")
    said <- passed_on(pipe(command, encoding = "UTF-8"))
    status <- said$status
    lines <- said$lines
  } else {
    status <- suppressWarnings(system2(python, arguments, stdout = out, stderr = errors))
    lines <- readLines(errors, warn = FALSE, encoding = "UTF-8")
  }
  if (!status %in% fine) {
    said <- sub("^(vecboard|.*: error): ", "", lines[grepl("^vecboard: |: error: ", lines)])
    if (!length(said)) said <- c(paste0("The program ended with status ", status, "."), utils::tail(lines, 3))
    if (status == 127) said <- paste0("There is no ", python, "; set options(vecboard.python = ) or VECBOARD_PYTHON.")
    refuse(if (status == 127) "no-python" else "script", paste(said, collapse = "\n"))
  }
  notes <- lines[nzchar(lines) & !grepl("\r|%\\|", lines)]
  if (length(notes)) message(paste(notes, collapse = "\n"))
  readLines(out, warn = FALSE, encoding = "UTF-8")
}

# Read a program's messages until it ends, and show its progress meanwhile; return the other lines and the status.
passed_on <- function(program) {
  open(program, "r")
  lines <- character()
  is_shown <- FALSE
  while (length(line <- readLines(program, 1, warn = FALSE))) {
    if (grepl(" % |", line, fixed = TRUE)) {
      cat("\r", format(sub("\\|[^|]*\\| ", "", line), width = 78), sep = "", file = stderr())
      is_shown <- TRUE
    } else {
      lines <- c(lines, line)
    }
  }
  if (is_shown) cat("\n", file = stderr())
  status <- close(program)
  list(lines = lines, status = if (status > 255) status %/% 256L else status) # as wait() returns it, or the status
}

json_lines <- function(lines) jsonlite::fromJSON(paste(lines, collapse = "\n"), simplifyVector = FALSE)

# Options of a command from a named list: NULL and FALSE are left out, TRUE is a switch. Of several values, those with
# commas are put between quotation marks.
options_of <- function(given) {
  unlist(lapply(names(given), function(name) {
    value <- given[[name]]
    if (is.null(value) || isFALSE(value)) {
      return(NULL)
    }
    option <- paste0("--", gsub("_", "-", name))
    if (isTRUE(value)) {
      return(option)
    }
    value <- plain(value)
    odd <- length(value) > 1 & grepl("[,\"]", value)
    value[odd] <- paste0("\"", gsub("\"", "\"\"", value[odd]), "\"")
    c(option, paste(value, collapse = ","))
  }))
}

# Paths of vector files; matrices are written to temporary ones.
vector_paths <- function(x, folder) {
  if (inherits(x, "vb_training")) x <- x$runs$file
  if (is.matrix(x) || isS4(x)) x <- list(x)
  unlist(lapply(seq_along(x), function(i) {
    one <- x[[i]]
    if (isS4(one)) one <- as.matrix(one)
    if (is.matrix(one)) {
      path <- file.path(folder, if (length(x) > 1) paste0("matrix-", i, ".txt.gz") else "matrix.txt.gz")
      write_vectors(one, path)
      return(path)
    }
    normalizePath(one, mustWork = FALSE)
  }))
}

vb_train <- function(corpus, out = tempfile("vecboard-"), ...) {
  dir.create(out, showWarnings = FALSE, recursive = TRUE)
  shown <- run_python(c("-m", "tasks", "train", corpus, options_of(list(...)), "--out", out))
  files <- sub("\\.txt\\.gz .*$", ".txt.gz", shown[grepl("\\.txt\\.gz ", shown)])
  paths <- file.path(normalizePath(out), files)
  criteria <- lapply(paths, criteria_of)
  runs <- bind(Map(function(path, one) {
    data.frame(
      file = path, corpus = one$corpus, licence = one$licence, algorithm = one$algorithm, window = one$window,
      dimensions = one$dimensions, minimum_count = one$minimum_count, seed = one$seed, tokens = one$tokens,
      words = one$words, loss = or_na(one$loss), iterations = one$iterations,
      converged = or_na(one$converged, NA), minutes = one$minutes
    )
  }, paths, criteria))
  rownames(runs) <- NULL
  structure(list(runs = runs), class = "vb_training")
}

# What the program wrote about a run, next to its file.
criteria_of <- function(path) json_lines(readLines(sub("\\.txt\\.gz$", ".json", path), encoding = "UTF-8"))

# What a training states about its vectors, as details of an upload.
details_of <- function(x) {
  first <- x$runs[1, ]
  stated <- list(
    corpus = first$corpus, licence = first$licence, algorithm = first$algorithm, window = first$window,
    iterations = first$iterations, loss = first$loss, tokens = first$tokens, training_minutes = first$minutes,
    technical_notes = paste0("minimum count ", first$minimum_count, ", seed ", first$seed)
  )
  Filter(function(value) !is.na(value), stated)
}

as.data.frame.vb_training <- function(x, row.names = NULL, optional = FALSE, ...) x$runs

print.vb_training <- function(x, ...) {
  first <- x$runs[1, ]
  cat(first$algorithm, " on ", first$corpus, ", ", first$dimensions, " dimensions, window ", sep = "")
  cat(first$window, "\n", sep = "")
  shown <- x$runs[c("file", "words", "tokens", "loss", "minutes")]
  shown$file <- basename(shown$file)
  print(shown, row.names = FALSE)
  cat("vb_vectors(FILE) reads a run, vb_submit() sends all.\n")
  invisible(x)
}

plot.vb_training <- function(x, ...) {
  losses <- lapply(x$runs$file, function(path) unlist(criteria_of(path)$losses))
  losses <- losses[lengths(losses) > 0]
  if (!length(losses)) refuse("nothing", "This algorithm reports no losses to plot.")
  longest <- max(lengths(losses))
  table <- vapply(losses, function(one) c(one, rep(NA_real_, longest - length(one))), numeric(longest))
  graphics::matplot(
    matrix(table, nrow = longest),
    type = "b", pch = 19, lty = 1, xlab = "Pass over the text", ylab = "Loss", main = x$runs$corpus[1]
  )
  invisible(x)
}

vb_contexts <- function(corpus, vectors, target, by = NULL, formula = NULL, ..., transformation = FALSE) {
  if (inherits(formula, "formula")) formula <- deparse1(formula[[length(formula)]])
  folder <- tempfile("vecboard-")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  saved <- if (transformation) file.path(folder, "transformation.csv") else NULL
  given <- list(target = target, by = by, formula = formula, ..., save_transformation = saved, json = TRUE)
  # Exit status 1: some targets have no result, and the answer has the reason.
  files <- vector_paths(vectors, folder)
  lines <- run_python(c("-m", "tasks", "contexts", corpus, files, options_of(given)), fine = 0:1)
  answer <- json_lines(lines)
  if (transformation) answer$transformation <- as.matrix(utils::read.csv(saved, row.names = 1))
  structure(c(answer, list(by = by, formula = formula)), class = "vb_contexts")
}

# Both ways compare a group with another one: the second named, or each level of a formula with its first.
as.data.frame.vb_contexts <- function(x, row.names = NULL, optional = FALSE, ...,
                                      what = c("distances", "nearest")) {
  what <- match.arg(what)
  make <- if (what == "distances") distance_rows else nearest_rows
  bind(unlist(lapply(x$vectors, function(file) {
    rows <- lapply(names(file$targets), function(target) make(x, file$targets[[target]], file$vectors, target))
    without <- if (what == "nearest") NULL else lapply(names(file$without), function(target) {
      distance_row(file$vectors, target, NA_character_, NULL, NA_integer_, list(reason = file$without[[target]]))
    })
    c(rows, without)
  }), recursive = FALSE))
}

distance_row <- function(file, target, coefficient, against, units, norm) {
  data.frame(
    vectors = file, target = target, coefficient = coefficient, compared_with = or_na(against, NA_character_),
    units = units, squared_distance = or_na(norm$estimate), low = end_of(norm$interval, 1),
    high = end_of(norm$interval, 2), p = or_na(norm$p), detectable = or_na(norm$detectable),
    uncorrected = or_na(norm$uncorrected), degrees_of_freedom = or_na(norm$degrees_of_freedom),
    reason = or_na(norm$reason, NA_character_)
  )
}

distance_rows <- function(x, one, file, target) {
  if (is.null(one$coefficients)) {
    groups <- names(one$groups)
    label <- paste0(x$by, ": ", groups[2])
    return(distance_row(file, target, label, groups[1], one$groups[[2]]$units, one$distance))
  }
  bind(lapply(one$coefficients, function(each) {
    distance_row(file, target, each$name, each$reference, each$units, each$length)
  }))
}

# The nearest words of every group, or of both directions of a coefficient.
nearest_rows <- function(x, one, file, target) {
  rows <- function(towards, neighbours) {
    data.frame(
      vectors = file, target = target, towards = towards, rank = seq_along(neighbours),
      word = column(neighbours, "word", ""), cosine = column(neighbours, "cosine", 0)
    )
  }
  if (is.null(one$coefficients)) {
    return(bind(unname(Map(function(name, group) rows(name, group$neighbours), names(one$groups), one$groups))))
  }
  bind(lapply(one$coefficients, function(each) {
    ends <- if (is.null(each$level)) paste(c("more", "less"), each$field) else c(each$level, each$reference)
    rbind(rows(ends[1], each$towards), rows(ends[2], each$away))
  }))
}

print.vb_contexts <- function(x, ...) {
  cat("Squared distances between uses of a word, without their noise; they have no direction.\n")
  cat("Intervals of 95 %; p by permutation of ", unit_of(x), "; detectable: found at 5 % in four of five cases.\n", sep = "")
  rows <- as.data.frame(x)
  shown <- rows[c("vectors", "target", "coefficient", "compared_with", "squared_distance", "low", "high", "p", "detectable")]
  if (length(x$vectors) == 1) shown$vectors <- NULL
  print(shown, row.names = FALSE, digits = 3)
  for (target in names(x$vectors[[1]]$targets)) cat(sentence_of(x, target), "\n", sep = "")
  for (reason in unique(stats::na.omit(rows$reason))) cat(reason, "\n", sep = "")
  for (warning in x$warnings) cat("Warning: ", warning, "\n", sep = "")
  invisible(x)
}

unit_of <- function(x) if (is.null(x$group_by)) "documents" else paste("values of", x$group_by)

# How much text a word's distances rest on, and the smallest that a test finds; with the first vectors.
sentence_of <- function(x, target) {
  one <- x$vectors[[1]]$targets[[target]]
  parts <- if (is.null(one$coefficients)) one$groups else list(one)
  used <- sprintf("%.0f %s, %.0f times", column(parts, "units", 0), unit_of(x), column(parts, "occurrences", 0))
  if (is.null(one$coefficients)) used <- paste0(names(parts), ": ", used)
  rows <- distance_rows(x, one, x$vectors[[1]]$vectors, target)
  rows <- rows[!is.na(rows$detectable), ]
  least <- paste0(prettyNum(signif(rows$detectable, 2)), if (nrow(rows) > 1) paste0(" (", rows$coefficient, ")"))
  found <- if (nrow(rows)) {
    paste0(" A squared distance of ", paste(least, collapse = ", "), " would be found in four of five cases.")
  } else {
    " So few cannot show a difference."
  }
  paste0("\u201c", target, "\u201d: ", paste(used, collapse = "; "), ".", found)
}

plot.vb_contexts <- function(x, ...) {
  rows <- as.data.frame(x)
  label <- paste0(rows$target, ", ", rows$coefficient, if (length(x$vectors) > 1) paste0(", ", rows$vectors))
  forest(label, rows$squared_distance, rows$low, rows$high, "Squared distance without its noise")
  invisible(x)
}

vb_suffices <- function(corpus, pretrained, group_by = NULL, cues = NULL, ..., progress = interactive()) {
  folder <- tempfile("vecboard-")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  if (is.character(pretrained)) { # ids of published vectors stay as they are
    is_file <- file.exists(pretrained)
    pretrained[is_file] <- normalizePath(pretrained[is_file])
  } else {
    pretrained <- vector_paths(pretrained, folder)
  }
  options <- options_of(list(group_by = group_by, cues = cues, ..., json = TRUE))
  if (progress) message("Training on parts of the corpus takes minutes, for large ones half an hour.")
  lines <- run_python(c("-m", "tasks", "suffices", corpus, "--pretrained", pretrained, options), progress = progress)
  structure(json_lines(lines), class = "vb_suffices")
}

# Every sentence of a report, in its order.
sentences_of <- function(x) {
  if (!is.list(x)) {
    return(character())
  }
  own <- x$sentence
  c(if (is.character(own)) own, unlist(lapply(x[setdiff(names(x) %||% seq_along(x), "sentence")], sentences_of)))
}

as.data.frame.vb_suffices <- function(x, row.names = NULL, optional = FALSE, ...,
                                      what = c("decisions", "curve", "settings")) {
  what <- match.arg(what)
  rows_of(x[[what]], function(one) {
    estimate <- if (what == "decisions") one$difference else one$auc
    row <- data.frame(candidate = or_na(one$candidate, ""))
    if (what == "decisions") row$verdict <- or_na(one$verdict, "") else row$tokens <- or_na(one$tokens)
    # Areas under the curve are fractions: 0.5 is chance.
    row[[if (what == "decisions") "difference_fraction" else "auc_fraction"]] <- or_na(estimate$mean)
    row$low_fraction <- end_of(estimate$interval, 1)
    row$high_fraction <- end_of(estimate$interval, 2)
    if (what == "decisions") row$sentence <- or_na(one$sentence, "")
    if (what == "settings") row$difference_fraction <- or_na(one$difference$mean)
    row
  })
}

print.vb_suffices <- function(x, ...) {
  found <- sentences_of(unclass(x))
  # The first sentence is the whole answer and may repeat one of its parts.
  is_repeated <- vapply(found, grepl, NA, x = found[1], fixed = TRUE)
  cat(c(found[1], unique(found[!is_repeated])), sep = "\n")
  invisible(x)
}

plot.vb_suffices <- function(x, ...) {
  rows <- as.data.frame(x)
  forest(
    rows$candidate, rows$difference_fraction, rows$low_fraction, rows$high_fraction,
    "Area under the curve, minus that of local vectors"
  )
  invisible(x)
}

vb_claim <- function(corpus, kind = c("association", "axis", "nearest", "drift", "groups"), lists, by = NULL,
                     group_by = NULL, ..., progress = interactive()) {
  kind <- match.arg(kind)
  # Words of a list are joined by commas; a single word may be the name of a list or of a test, or a file.
  words <- vapply(as.list(lists), function(one) paste(one, collapse = ","), "")
  options <- options_of(list(by = by, group_by = group_by, ..., json = TRUE))
  # Exit status 1: the finding is not stable, and the answer has the reason.
  command <- c("-m", "tasks", "claim", corpus, paste0("--", kind), words, options)
  structure(json_lines(run_python(command, fine = 0:1, progress = progress)), class = "vb_claim")
}

as.data.frame.vb_claim <- function(x, row.names = NULL, optional = FALSE, ...) {
  rows_of(x$levels, function(one) {
    data.frame(
      choice = or_na(one$choice, ""), option = or_na(one$option, ""), analyses = or_na(one$analyses, NA_integer_),
      effect = or_na(one$effect), same_sign_fraction = or_na(one$same)
    )
  })
}

print.vb_claim <- function(x, ...) {
  cat(x$sentence, "\n", sep = "")
  if (length(x$missing_words)) cat("Too rare in the corpus: ", paste(x$missing_words, collapse = ", "), ".\n", sep = "")
  invisible(x)
}

plot.vb_claim <- function(x, ...) {
  rows <- as.data.frame(x)
  none <- rep(NA_real_, nrow(rows))
  forest(
    c("all analyses", paste(rows$choice, rows$option)), c(x$effect, rows$effect), c(end_of(x$interval, 1), none),
    c(end_of(x$interval, 2), none), "Effect"
  )
  invisible(x)
}
