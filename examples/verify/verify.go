// Verifies an evidence file with the public key of its log, and with nothing else of svc:
//
//	go run . FILE KEY [CHECKPOINT [WITNESS_KEY ...]]
//
// docs/reference/evidence.md has the format. The last line is the verdict; exit 0 only for ok.
package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"golang.org/x/mod/sumdb/note"
)

type broken struct {
	Line     int    `json:"line"`
	Revision *int   `json:"revision"`
	What     string `json:"what"`
}

type verdict struct {
	Verdict     string  `json:"verdict"`
	Stream      *string `json:"stream"`
	Request     *string `json:"request"`
	Events      int     `json:"events"`
	FirstBroken *broken `json:"first_broken"`
	CoveredTo   *int    `json:"covered_to"`
	NotCovered  *string `json:"not_covered"`
}

type header struct {
	Version     int           `json:"svc_evidence"`
	Stream      string        `json:"stream"`
	Request     *string       `json:"request"`
	Events      int           `json:"events"`
	Checkpoint  string        `json:"checkpoint"`
	Proofs      []inclusion   `json:"proofs"`
	Consistency []consistency `json:"consistency"`
	Rotations   []string      `json:"rotations"`
}

type inclusion struct {
	Event  int      `json:"event"`
	Leaf   uint64   `json:"leaf"`
	Hashes []string `json:"hashes"`
}

type consistency struct {
	Size   uint64   `json:"size"`
	Root   string   `json:"root"`
	Hashes []string `json:"hashes"`
}

type checkpoint struct {
	size uint64
	root []byte
	time uint64
}

var checkpointForm = regexp.MustCompile(`^(.+)\n(0|[1-9]\d{0,15})\n(.{44})\ntime (\d{1,12})\n`)

// Names match exactly: encoding/json alone takes them in any case.
func exactFields(text []byte, names string) (map[string]json.RawMessage, error) {
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, err
	}
	wanted := strings.Fields(names)
	for _, name := range wanted {
		if _, found := fields[name]; !found {
			return nil, errors.New("a field is missing: " + name)
		}
	}
	if len(fields) != len(wanted) {
		return nil, errors.New("a field too many")
	}
	return fields, nil
}

func readHeader(line []byte) (head header, err error) {
	if !utf8.Valid(line) {
		return head, errors.New("no UTF-8")
	}
	fields, err := exactFields(line, "svc_evidence stream request events checkpoint proofs consistency rotations")
	if err != nil {
		return head, err
	}
	for list, names := range map[string]string{"proofs": "event leaf hashes", "consistency": "size root hashes"} {
		var items []json.RawMessage
		if err := json.Unmarshal(fields[list], &items); err != nil {
			return head, err
		}
		for _, item := range items {
			if _, err := exactFields(item, names); err != nil {
				return head, err
			}
		}
	}
	if err := json.Unmarshal(line, &head); err != nil || head.Version != 1 || head.Events < 1 {
		return head, errors.New("no header")
	}
	last := 0
	for _, p := range head.Proofs {
		if p.Event <= last {
			return head, errors.New("proofs are not in order")
		}
		last = p.Event
		if _, err := hashes(p.Hashes); err != nil {
			return head, err
		}
	}
	for _, c := range head.Consistency {
		if _, err := hashes(append(c.Hashes, c.Root)); err != nil {
			return head, err
		}
	}
	return head, nil
}

func hashes(texts []string) ([][]byte, error) {
	all := make([][]byte, len(texts))
	for i, text := range texts {
		raw, err := hex.DecodeString(text)
		if err != nil || len(raw) != sha256.Size || hex.EncodeToString(raw) != text {
			return nil, errors.New("no hash: " + text)
		}
		all[i] = raw
	}
	return all, nil
}

// One note has one text: other texts for the same signatures are refused.
func openNote(text string, keys []note.Verifier) (*note.Note, error) {
	opened, err := note.Open([]byte(text), note.VerifierList(keys...))
	if err != nil {
		return nil, err
	}
	for _, signature := range append(opened.Sigs, opened.UnverifiedSigs...) {
		raw, err := base64.StdEncoding.DecodeString(signature.Base64)
		if err != nil || base64.StdEncoding.EncodeToString(raw) != signature.Base64 {
			return nil, errors.New("a signature is damaged")
		}
	}
	return opened, nil
}

func trustedKeys(key string, rotations []string) ([]note.Verifier, error) {
	first, err := note.NewVerifier(key)
	if err != nil {
		return nil, err
	}
	texts, keys := []string{key}, []note.Verifier{first}
	for _, rotation := range rotations {
		lines := strings.Split(rotation, "\n")
		if len(lines) < 4 || lines[1] != "key rotation" {
			return nil, errors.New("no rotation")
		}
		var both []note.Verifier
		for _, text := range lines[2:4] {
			signer, err := note.NewVerifier(text)
			if err != nil || signer.Name() != lines[0] {
				return nil, errors.New("no key")
			}
			if _, err := openNote(rotation, []note.Verifier{signer}); err != nil {
				return nil, err
			}
			both = append(both, signer)
		}
		for _, text := range texts {
			if text == lines[2] {
				texts, keys = append(texts, lines[3]), append(keys, both[1])
				break
			}
		}
	}
	return keys, nil
}

func openCheckpoint(text string, keys []note.Verifier) (checkpoint, error) {
	opened, err := openNote(text, keys)
	if err != nil {
		return checkpoint{}, err
	}
	found := checkpointForm.FindStringSubmatch(opened.Text)
	if found == nil || opened.Sigs[0].Name != found[1] {
		return checkpoint{}, errors.New("no checkpoint of this log")
	}
	size, _ := strconv.ParseUint(found[2], 10, 64)
	time, _ := strconv.ParseUint(found[4], 10, 64)
	root, err := base64.StdEncoding.DecodeString(found[3])
	return checkpoint{size, root, time}, err
}

func isIncluded(digest []byte, p inclusion, at checkpoint) bool {
	path, err := hashes(p.Hashes)
	leaf := rfc6962.DefaultHasher.HashLeaf(digest)
	return err == nil && proof.VerifyInclusion(rfc6962.DefaultHasher, p.Leaf, at.size, leaf, path, at.root) == nil
}

func isConsistent(c consistency, at checkpoint) bool {
	all, err := hashes(append(append([]string{}, c.Hashes...), c.Root))
	if err != nil {
		return false
	}
	path, root := all[:len(all)-1], all[len(all)-1]
	if c.Size == 0 && !bytes.Equal(root, rfc6962.DefaultHasher.EmptyRoot()) {
		return false
	}
	return proof.VerifyConsistency(rfc6962.DefaultHasher, c.Size, at.size, path, root, at.root) == nil
}

func verify(file io.Reader, key string, other *string, witnesses []string) (result verdict) {
	fail := func(line int, revision *int, what string) verdict {
		return verdict{Verdict: "broken", Events: result.Events, FirstBroken: &broken{line, revision, what}}
	}
	uncovered := func(why string) {
		if result.NotCovered == nil {
			result.NotCovered = &why
		}
	}
	lines := bufio.NewReaderSize(file, 1<<20)
	first, err := lines.ReadBytes('\n')
	head, headErr := readHeader(first)
	if err != nil || headErr != nil {
		return fail(1, nil, "header")
	}
	keys, err := trustedKeys(key, head.Rotations)
	if err != nil {
		return fail(1, nil, "key")
	}
	at, err := openCheckpoint(head.Checkpoint, keys)
	if err != nil {
		return fail(1, nil, "checkpoint")
	}
	earlier := map[uint64]string{at.size: hex.EncodeToString(at.root)}
	for _, c := range head.Consistency {
		if !isConsistent(c, at) {
			return fail(1, nil, "consistency")
		}
		earlier[c.Size] = c.Root
	}
	whole, money := head.Request == nil, newMoney(head.Request == nil)
	last, previous, covered, nextProof := -1, strings.Repeat("0", 64), 0, 0
	var knownTo *int
	events := &lineReader{batches: readAhead(lines)}
	following := events.next()
	for following != nil {
		line := following
		following = events.next()
		n := result.Events + 1
		var place *int
		if whole {
			place = ref(n - 1)
		}
		found, digest := line.event, line.digest
		if !line.isEvent || n > head.Events || found.stream != head.Stream || !line.claim.isOf(head.Request) {
			return fail(n+1, place, "event")
		}
		result.Events = n
		hash := hex.EncodeToString(digest[:])
		proven := nextProof < len(head.Proofs) && head.Proofs[nextProof].Event == n &&
			isIncluded(digest[:], head.Proofs[nextProof], at)
		follows := found.revision == last+1
		if whole && !follows || found.revision <= last {
			if place == nil {
				place = ref(found.revision)
			}
			return fail(n+1, place, "order")
		}
		if follows && found.previous != previous {
			// Whichever of the two the event behind, or the tree, does not know was altered.
			isKnown := following != nil && following.isEvent && following.event.previous == hash
			if found.revision > 0 && (proven || isKnown) {
				return fail(n, ref(found.revision-1), "chain")
			}
			return fail(n+1, ref(found.revision), "chain")
		}
		if !follows && covered < n-1 {
			uncovered("no_inclusion_proof")
		}
		switch what := money.take(line.claim); what {
		case "price", "balance":
			return fail(n+1, ref(found.revision), what)
		case "unknown":
			uncovered("unknown_event")
			if knownTo == nil {
				knownTo = ref(found.revision - 1)
			}
		}
		if nextProof < len(head.Proofs) && head.Proofs[nextProof].Event == n {
			if !proven {
				return fail(n+1, ref(found.revision), "inclusion")
			}
			nextProof, covered, result.CoveredTo = nextProof+1, n, ref(found.revision)
			if knownTo != nil {
				result.CoveredTo = knownTo
			}
		}
		last, previous = found.revision, hash
	}
	if result.Events < head.Events {
		var place *int
		if whole {
			place = ref(result.Events)
		}
		return fail(result.Events+2, place, "missing")
	}
	if nextProof < len(head.Proofs) {
		return fail(1, nil, "header")
	}
	if covered < result.Events {
		uncovered("no_inclusion_proof")
	}
	if other != nil {
		given, err := openCheckpoint(*other, keys)
		root, known := earlier[given.size]
		switch {
		case err != nil:
			return fail(0, nil, "checkpoint")
		case given.size > at.size && given.time < at.time:
			return fail(0, nil, "cut")
		case given.size > at.size:
			uncovered("newer_checkpoint")
		case !known:
			uncovered("no_consistency_proof")
		case root != hex.EncodeToString(given.root):
			return fail(0, nil, "fork")
		}
	}
	for _, witness := range witnesses {
		cosigned, line := head.Checkpoint, 1
		if other != nil {
			cosigned, line = *other, 0
		}
		switch found, err := isCosigned(cosigned, witness); {
		case err != nil:
			return fail(line, nil, "cosignature")
		case !found:
			uncovered("no_cosignature")
		}
	}
	result.Verdict, result.Stream, result.Request = "ok", &head.Stream, head.Request
	if result.NotCovered != nil {
		result.Verdict = "not_covered"
	}
	return result
}

func ref(value int) *int { return &value }

func main() {
	// Little is kept, and much thrown away.
	debug.SetGCPercent(800)
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: verify FILE KEY [CHECKPOINT [WITNESS_KEY ...]]")
		os.Exit(2)
	}
	file, err := os.Open(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	var other *string
	if len(os.Args) > 3 {
		text, err := os.ReadFile(os.Args[3])
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		given := string(text)
		other = &given
	}
	result := verify(file, os.Args[2], other, os.Args[min(4, len(os.Args)):])
	text, _ := json.Marshal(result)
	fmt.Println(string(text))
	if result.Verdict != "ok" {
		os.Exit(1)
	}
}
