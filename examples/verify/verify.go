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
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
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
	Stream      string
	Request     *string
	Events      int
	Checkpoint  string
	Proofs      []inclusion
	Consistency []consistency
	Rotations   []string
}

type inclusion struct {
	Event  int64
	Leaf   uint64
	Hashes []string
}

type consistency struct {
	Size   uint64
	Root   string
	Hashes []string
}

type checkpoint struct {
	size uint64
	root []byte
	time uint64
}

const noteBytesMax = 1 << 16

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
	// Whole characters only: encoding/json alone puts others in the place of halves.
	if len(line) > lineBytesMax+1 || !isText(line) {
		return head, errors.New("no header")
	}
	fields, err := exactFields(line, "svc_evidence stream request events checkpoint proofs consistency rotations")
	if err != nil {
		return head, err
	}
	version, err := countOf(fields["svc_evidence"])
	if err != nil || version != 1 {
		return head, errors.New("no version of evidence")
	}
	events, err := countOf(fields["events"])
	if err != nil || events < 1 {
		return head, errors.New("no events")
	}
	head.Events = int(events)
	if !isNull(fields["request"]) {
		err = decode(fields["request"], &head.Request)
	}
	proofs, consistency, rotations := []json.RawMessage{}, []json.RawMessage{}, []json.RawMessage{}
	err = errors.Join(err,
		decode(fields["stream"], &head.Stream),
		decode(fields["checkpoint"], &head.Checkpoint),
		decode(fields["proofs"], &proofs),
		decode(fields["consistency"], &consistency),
		decode(fields["rotations"], &rotations))
	head.Rotations = make([]string, len(rotations))
	for i, rotation := range rotations {
		err = errors.Join(err, decode(rotation, &head.Rotations[i]))
	}
	last := int64(0)
	for _, item := range proofs {
		found, itemErr := readInclusion(item)
		if itemErr != nil || found.Event <= last {
			return head, errors.New("no proofs in order")
		}
		last = found.Event
		head.Proofs = append(head.Proofs, found)
	}
	for _, item := range consistency {
		found, itemErr := readConsistency(item)
		if itemErr != nil {
			return head, itemErr
		}
		head.Consistency = append(head.Consistency, found)
	}
	return head, err
}

func readInclusion(item []byte) (found inclusion, err error) {
	fields, err := exactFields(item, "event leaf hashes")
	if err != nil {
		return found, err
	}
	counts := tokens(jsontext.Value(fields["event"]), jsontext.Value(fields["leaf"]))
	if counts == nil {
		return found, errors.New("no inclusion proof")
	}
	found.Event, found.Leaf = counts[0], uint64(counts[1])
	found.Hashes, err = readHashes(fields["hashes"])
	return found, err
}

func readConsistency(item []byte) (found consistency, err error) {
	fields, err := exactFields(item, "size root hashes")
	if err != nil {
		return found, err
	}
	size, err := countOf(fields["size"])
	if err == nil {
		err = decode(fields["root"], &found.Root)
	}
	if err != nil {
		return found, err
	}
	found.Size = uint64(size)
	if found.Hashes, err = readHashes(fields["hashes"]); err != nil {
		return found, err
	}
	_, err = hashes([]string{found.Root})
	return found, err
}

func readHashes(list []byte) (texts []string, err error) {
	if err = decode(list, &texts); err == nil {
		_, err = hashes(texts)
	}
	return texts, err
}

// Null is nothing: encoding/json alone lets it stand for whatever is there.
func decode(text []byte, into any) error {
	if isNull(text) {
		return errors.New("null")
	}
	return json.Unmarshal(text, into)
}

func isNull(text []byte) bool { return string(text) == "null" }

// JSON in UTF-8 without halves of characters.
func isText(text []byte) bool {
	return jsontext.Value(text).IsValid(jsontext.AllowDuplicateNames(true))
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

// One note has one text: other texts for the same signatures are refused. Of a key that signed
// twice every signature has to hold: note.Open looks at the first.
func openNote(text string, keys []note.Verifier) (*note.Note, error) {
	known := note.VerifierList(keys...)
	opened, err := note.Open([]byte(text), known)
	if err != nil {
		return nil, err
	}
	if len(text) > noteBytesMax {
		return nil, errors.New("the note is too long")
	}
	signatures := strings.TrimSuffix(text[len(opened.Text)+1:], "\n")
	for _, line := range strings.Split(signatures, "\n") {
		name, encoded, _ := strings.Cut(strings.TrimPrefix(line, "— "), " ")
		raw, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil || base64.StdEncoding.EncodeToString(raw) != encoded {
			return nil, errors.New("a signature is damaged")
		}
		signer, err := known.Verifier(name, binary.BigEndian.Uint32(raw))
		if err == nil && !signer.Verify([]byte(opened.Text), raw[4:]) {
			return nil, errors.New("a signature does not hold")
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
		// A list of verifiers holds each key once.
		if slices.Contains(texts, lines[2]) && !slices.Contains(texts, lines[3]) {
			texts, keys = append(texts, lines[3]), append(keys, both[1])
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
	isExact := len(root) == sha256.Size && base64.StdEncoding.EncodeToString(root) == found[3]
	if err != nil || !isExact || size >= 1<<53 {
		return checkpoint{}, errors.New("no checkpoint of a log")
	}
	return checkpoint{size, root, time}, nil
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
		proven := nextProof < len(head.Proofs) && head.Proofs[nextProof].Event == int64(n) &&
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
		if nextProof < len(head.Proofs) && head.Proofs[nextProof].Event == int64(n) {
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
		// In the sequence that a log signs neither sizes nor times go down.
		case given.size > at.size && given.time < at.time, given.size < at.size && given.time > at.time:
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
