// SPDX-License-Identifier: GPL-3.0-or-later

// github.com/codahale/hdrhistogram.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"

	"github.com/codahale/hdrhistogram"
)

type question struct {
	From, Failures string
	Correction     *string
	IntervalNs     int64 `json:"interval_ns"`
	WarmupNs       int64 `json:"warmup_ns"`
	Percentiles    []string
}

func number(word string) int64 {
	value, err := strconv.ParseInt(word, 10, 64)
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func main() {
	var asked question
	pipe := bufio.NewScanner(os.Stdin)
	if !pipe.Scan() || pipe.Text() != "duetime-conform 1" || !pipe.Scan() {
		log.Fatal("this is not version 1 of the pipe")
	}
	if err := json.Unmarshal(pipe.Bytes(), &asked); err != nil {
		log.Fatal(err)
	}
	from := map[string]int{"due": 0, "sent": 1, "started": 2, "acquired": 5}[asked.From]
	histogram := hdrhistogram.New(1, 24*3600*1000*1000*1000, 3)
	for pipe.Scan() && pipe.Text() != "end" {
		words := strings.Fields(pipe.Text())
		if number(words[0]) < asked.WarmupNs || (asked.Failures == "dropped" && words[4] != "ok") {
			continue
		}
		var err error
		value := number(words[3]) - number(words[from])
		if asked.Correction != nil {
			err = histogram.RecordCorrectedValue(value, asked.IntervalNs)
		} else {
			err = histogram.RecordValue(value)
		}
		if err != nil {
			log.Fatal(err)
		}
	}
	values := map[string]int64{}
	for _, p := range asked.Percentiles {
		percent, err := strconv.ParseFloat(p, 64)
		if err != nil {
			log.Fatal(err)
		}
		values[p] = histogram.ValueAtQuantile(percent)
	}
	text, err := json.Marshal(values)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("{\"count\": %d, \"min\": %d, \"max\": %d, \"mean\": %.17g, \"percentiles\": %s}\n",
		histogram.TotalCount(), histogram.Min(), histogram.Max(), histogram.Mean(), text)
}
