# Bradley–Terry models by BradleyTerry2 and, for ties, as a log-linear model by base R.
# Run from the project's root: Rscript tests/R/bradley_terry.R
suppressMessages({library(BradleyTerry2); library(qvcalc)})
folder <- "tests/data/rankings/"
rows <- list()
known <- function(case, quantity, name, value)
  rows[[length(rows) + 1]] <<- data.frame(case, quantity, name, value = unname(value))
model <- function(case, fit, rename = identity) {
  known(case, "estimate", rename(names(coef(fit))), coef(fit))
  known(case, "se", rename(names(coef(fit))), sqrt(diag(vcov(fit))))
}
goodness <- function(case, fit) {
  known(case, "deviance", "", deviance(fit))
  known(case, "df", "", df.residual(fit))
}
quasi <- function(case, fit) {
  frame <- qvcalc(BTabilities(fit))$qvframe
  known(case, "quasi_se", rownames(frame), frame$quasiSE)
}

# Citations between four journals (Stigler 1994)
table <- read.csv(paste0(folder, "citations.csv"), row.names = 1, check.names = FALSE)
wins <- countsToBinomial(as.matrix(table))
fit <- BTm(cbind(win1, win2), player1, player2, data = wins)
model("citations", fit); goodness("citations", fit); quasi("citations", fit)

# Baseball (Agresti 2002), without and with the advantage of the home team
games <- read.csv(paste0(folder, "baseball.csv"), stringsAsFactors = TRUE)
fit <- BTm(cbind(home_wins, away_wins), home, away, data = games)
model("baseball", fit); goodness("baseball", fit)
games$home <- data.frame(team = games$home, at.home = 1)
games$away <- data.frame(team = games$away, at.home = 0)
fit <- BTm(cbind(home_wins, away_wins), home, away, ~ team + at.home, id = "team", data = games)
model("home", fit, function(name) sub("^team", "", name)); goodness("home", fit)
quasi("home", fit)

# Chocolate puddings (Davidson 1970): ties as half wins, and Davidson's model, which is log-linear
pudding <- read.csv(paste0(folder, "pudding.csv"))
brand <- function(column) factor(column, levels = 1:6)
half <- with(pudding, data.frame(first = brand(first), second = brand(second),
                                 a = wins + ties / 2, b = losses + ties / 2))
fit <- suppressWarnings(BTm(cbind(a, b), first, second, data = half))  # half counts
model("pudding_half", fit); goodness("pudding_half", fit)
place <- function(column) outer(column, 2:6, "==")
x <- with(pudding, rbind(place(first), place(second), (place(first) + place(second)) / 2))
colnames(x) <- 2:6
tie <- rep(0:1, c(30, 15))
contest <- factor(rep(1:15, 3))
count <- with(pudding, c(wins, losses, ties))
fit <- glm(count ~ 0 + contest + x + tie, poisson)
own <- !grepl("contest", names(coef(fit)))
known("pudding", "estimate", sub("^x", "", names(coef(fit))[own]), coef(fit)[own])
known("pudding", "se", sub("^x", "", names(coef(fit))[own]), sqrt(diag(vcov(fit)))[own])
goodness("pudding", fit)

# Salad dressings (Critchlow & Fligner 1991): pairs out of rankings, on what is in the dressings
salad <- read.csv(paste0(folder, "salad.csv"))
pairs <- do.call(rbind, lapply(split(salad, salad$taster), function(own) {
  both <- combn(nrow(own), 2)
  one <- own[both[1, ], ]; other <- own[both[2, ], ]
  data.frame(above = one$rank < other$rank, acetic = one$acetic - other$acetic,
             gluconic = one$gluconic - other$gluconic)
}))
fit <- glm(above ~ 0 + acetic + gluconic, binomial, pairs, control = list(epsilon = 1e-14))
model("salad", fit)
known("salad", "loglik", "", as.numeric(logLik(fit)))

result <- do.call(rbind, rows)
result$name <- sub("^\\.\\.", "", result$name)
result$value <- format(result$value, digits = 12, trim = TRUE)
write.csv(result, "tests/R/bradley_terry.csv", row.names = FALSE, quote = FALSE)
