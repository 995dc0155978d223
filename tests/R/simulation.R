# Monte-Carlo intervals of shares and means, as R has them: Rscript simulation.R > simulation.csv
# R 4.2.2
row <- function(case, name, value) cat(sprintf("%s,interval,%s,%.12f\n", case, name, value))
cat("case,quantity,name,value\n")
ends <- binom.test(9, 10)$conf.int
row("share", "low", ends[1])
row("share", "high", ends[2])
found <- t.test(c(0.1, 0.4, 0.35, -0.2, 0.05, 0.3))$conf.int
row("mean", "low", found[1])
row("mean", "high", found[2])
