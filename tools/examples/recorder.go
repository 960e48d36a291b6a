// SPDX-License-Identifier: 0BSD

// A recorder that duetime can judge:  duetime conform --command 'go run recorder.go'
//
// Exact is the recorder.  Put your own in its place; the rest is the pipe and stays as it is.
package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math/big"
	"os"
	"sort"
	"strconv"
	"strings"
)

// Exact keeps every value; a percentile is the nearest rank, found with whole numbers.
type Exact struct {
	values []uint64
}

func (e *Exact) Record(value uint64) {
	e.values = append(e.values, value)
}

// RecordCorrected does what HdrHistogram does where sends were held back: one more sample for
// each that is missing below a slow one.
func (e *Exact) RecordCorrected(value, interval uint64) {
	e.Record(value)
	for interval > 0 && value >= 2*interval {
		value -= interval
		e.Record(value)
	}
}

// Percentile takes p as text, such as 99.9: the rank is ceil(p n / 100), without a float.
func (e *Exact) Percentile(p string) uint64 {
	ratio, ok := new(big.Rat).SetString(p)
	if !ok {
		log.Fatalf("%q is no percentile", p)
	}
	ratio.Mul(ratio, big.NewRat(int64(len(e.values)), 100))
	rank, rest := new(big.Int).QuoRem(ratio.Num(), ratio.Denom(), new(big.Int))
	if rest.Sign() == 0 && rank.Sign() > 0 {
		rank.Sub(rank, big.NewInt(1))
	}
	return e.values[rank.Int64()]
}

type answer struct {
	Count       int               `json:"count"`
	Min         uint64            `json:"min"`
	Max         uint64            `json:"max"`
	Sum         *big.Int          `json:"sum"`
	Mean        json.Number       `json:"mean"`
	Percentiles map[string]uint64 `json:"percentiles"`
	Unit        string            `json:"unit"`
	Declares    map[string]string `json:"declares"`
}

func (e *Exact) Answer(percentiles []string) any {
	n := len(e.values)
	if n == 0 {
		return map[string]int{"count": 0}
	}
	sort.Slice(e.values, func(i, j int) bool { return e.values[i] < e.values[j] })
	sum := new(big.Int)
	for _, value := range e.values {
		sum.Add(sum, new(big.Int).SetUint64(value))
	}
	found := map[string]uint64{}
	for _, p := range percentiles {
		found[p] = e.Percentile(p)
	}
	mean := new(big.Rat).SetFrac(sum, big.NewInt(int64(n)))
	return answer{n, e.values[0], e.values[n-1], sum, json.Number(mean.FloatString(9)), found, "ns",
		map[string]string{"precision": "exact", "rank": "nearest"}}
}

type asked struct {
	From        string   `json:"from"`
	Failures    string   `json:"failures"`
	Correction  *string  `json:"correction"`
	IntervalNs  *uint64  `json:"interval_ns"`
	WarmupNs    uint64   `json:"warmup_ns"`
	Percentiles []string `json:"percentiles"`
	Binary      bool     `json:"binary"`
}

type request struct {
	due, sent, started, finished uint64
	answered                     bool
	acquired, client             uint64
}

// One request a line: due, sent, started, finished in ns, status; then acquired, client.
func textRequests(pipe *bufio.Reader, take func(request)) error {
	for {
		line, err := pipe.ReadString('\n')
		if err != nil || line == "end\n" {
			return err
		}
		words := strings.Fields(line)
		var n [7]uint64
		for i, word := range words {
			if i != 4 {
				if n[i], err = strconv.ParseUint(word, 10, 64); err != nil {
					return err
				}
			}
		}
		take(request{n[0], n[1], n[2], n[3], words[4] == "ok", n[5], n[6]})
	}
}

// A count, then so many records of seven numbers; a count of 0 is the end.
func binaryRequests(pipe *bufio.Reader, take func(request)) error {
	for {
		var count uint32
		if err := binary.Read(pipe, binary.LittleEndian, &count); err != nil || count == 0 {
			return err
		}
		var record [56]byte
		for ; count > 0; count-- {
			if _, err := io.ReadFull(pipe, record[:]); err != nil {
				return err
			}
			var n [7]uint64
			for i := range n {
				n[i] = binary.LittleEndian.Uint64(record[8*i:])
			}
			take(request{n[0], n[1], n[2], n[3], n[4] == 0, n[5], n[6]})
		}
	}
}

func main() {
	pipe := bufio.NewReaderSize(os.Stdin, 1<<16)
	if version, _ := pipe.ReadString('\n'); version != "duetime-conform 1\n" {
		log.Fatal("this is not version 1 of the pipe")
	}
	line, _ := pipe.ReadBytes('\n')
	var ask asked
	if err := json.Unmarshal(line, &ask); err != nil {
		log.Fatal(err)
	}
	var interval uint64
	if ask.Correction != nil {
		if *ask.Correction != "hdr" || ask.IntervalNs == nil {
			log.Fatalf("this recorder has no correction %s", *ask.Correction)
		}
		interval = *ask.IntervalNs
	}
	recorder := &Exact{}
	take := func(r request) {
		begin := map[string]uint64{"due": r.due, "acquired": r.acquired, "sent": r.sent,
			"started": r.started}[ask.From]
		if r.due < ask.WarmupNs || begin > r.finished {
			return
		}
		if !r.answered && ask.Failures == "dropped" {
			return
		}
		recorder.RecordCorrected(r.finished-begin, interval)
	}
	read := textRequests
	if ask.Binary {
		read = binaryRequests
	}
	if err := read(pipe, take); err != nil {
		log.Fatal(err)
	}
	text, err := json.Marshal(recorder.Answer(ask.Percentiles))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(text))
}
