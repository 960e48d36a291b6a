// SPDX-License-Identifier: 0BSD

// Holds a recorder to the test vectors:  go run vectors.go < results/vectors/vectors.txt
//
// report is the recorder.  Put your own in its place; the rest stays as it is.
package main

import (
	"bufio"
	"fmt"
	"math"
	"math/big"
	"os"
	"sort"
	"strconv"
	"strings"
)

// report gives NaN where there is no such figure.
func report(x []float64, figure string) float64 {
	sum, n := 0.0, len(x)
	for _, v := range x {
		sum += v
	}
	switch {
	case figure == "count":
		return float64(n)
	case figure == "sum":
		return sum
	case n == 0:
		return math.NaN()
	case figure == "mean":
		return sum / float64(n)
	}
	sort.Float64s(x)
	switch figure {
	case "min":
		return x[0]
	case "max":
		return x[n-1]
	}
	ratio, _ := new(big.Rat).SetString(figure[1:])
	ratio.Mul(ratio, big.NewRat(int64(n), 100))
	rank, rest := new(big.Int).QuoRem(ratio.Num(), ratio.Denom(), new(big.Int))
	if rest.Sign() == 0 && rank.Sign() > 0 {
		rank.Sub(rank, big.NewInt(1))
	}
	return x[rank.Int64()]
}

// recordCorrected adds what is missing below a slow value.
func recordCorrected(x []float64, value, interval float64) []float64 {
	x = append(x, value)
	for interval > 0 && value >= 2*interval {
		value -= interval
		x = append(x, value)
	}
	return x
}

// The rest is glue.

// same: a mean is given to a thousandth.
func same(a, b float64) bool {
	return math.Abs(a-b) <= 0.001 || (math.IsNaN(a) && math.IsNaN(b))
}

func parse(word string) float64 {
	value, _ := strconv.ParseFloat(word, 64)
	return value
}

func main() {
	x, asked, right, says := []float64{}, []string{}, map[string]float64{}, map[string]float64{}
	fault, bad, status := "", false, 0
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		words := append(strings.Fields(lines.Text()), "", "", "", "", "")
		switch words[0] {
		case "case":
			fmt.Println(lines.Text())
			x, right, fault, bad = nil, map[string]float64{}, "", false
		case "asked":
			asked = words
		case "value":
			for k := 0.0; k < parse(words[2]); k++ {
				x = recordCorrected(x, parse(words[1])+k*parse(words[3]), parse(asked[4]))
			}
		case "request":
			if words[5] == "ok" || asked[2] != "dropped" {
				from := map[string]int{"due": 1, "sent": 2}[asked[1]]
				x = recordCorrected(x, parse(words[4])-parse(words[from]), parse(asked[4]))
			}
		case "is":
			right[words[1]], says[words[1]] = parse(words[2]), parse(words[2])
			if asked[3] != "hdr-py" && asked[3] != "wrk" && !same(report(x, words[1]), right[words[1]]) {
				fmt.Println("  not ok:", words[1], "is not", words[2])
				bad, status = true, 1
			}
		case "says":
			says[words[1]] = parse(words[2])
		case "fault", "end":
			fits := bad && fault != ""
			for name := range right {
				fits = fits && same(report(x, name), says[name])
				says[name] = right[name]
			}
			if fits {
				fmt.Println("  as", fault, "says")
			}
			fault = words[1]
		}
	}
	os.Exit(status)
}
