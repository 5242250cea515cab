// An independent client of a tiled log: it shares no code with Reeve. It reads the served checkpoint and tiles with the Go
// project's own checksum-database libraries, and says "ok" or what does not hold.
//
//	tlog PREFIX LOG_VKEY WITNESS_VKEY OLD_CHECKPOINT PROOF
//
// PREFIX is the log's address, OLD_CHECKPOINT a file with a signed checkpoint of before, PROOF a .tlog-proof. TLOG_TOKEN is
// sent as a bearer token. WITNESS_VKEY may be "-".
package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"

	fnote "github.com/transparency-dev/formats/note"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

func check(err error, what string) {
	if err != nil {
		fmt.Printf("%s: %v\n", what, err)
		os.Exit(1)
	}
}

func fail(format string, args ...any) {
	fmt.Printf(format+"\n", args...)
	os.Exit(1)
}

type checkpoint struct {
	origin string
	tree   tlog.Tree
}

func open(text []byte, known note.Verifiers) (checkpoint, *note.Note) {
	opened, err := note.Open(text, known)
	check(err, "note")
	lines := strings.Split(opened.Text, "\n")
	if len(lines) < 4 {
		fail("checkpoint of %d lines", len(lines))
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	check(err, "size")
	root, err := base64.StdEncoding.DecodeString(lines[2])
	check(err, "root")
	c := checkpoint{origin: lines[0], tree: tlog.Tree{N: size}}
	copy(c.tree.Hash[:], root)
	return c, opened
}

type client struct{ prefix, token string }

func (c client) get(path, kind string) []byte {
	request, err := http.NewRequest("GET", c.prefix+"/"+path, nil)
	check(err, path)
	request.Header.Set("Authorization", "Bearer "+c.token)
	response, err := http.DefaultClient.Do(request)
	check(err, path)
	defer response.Body.Close()
	if response.StatusCode != 200 || response.Header.Get("Content-Type") != kind {
		fail("%s: status %d, type %q", path, response.StatusCode, response.Header.Get("Content-Type"))
	}
	immutable := strings.Contains(response.Header.Get("Cache-Control"), "immutable")
	if immutable != strings.HasPrefix(path, "tile/") {
		fail("%s: cache-control %q", path, response.Header.Get("Cache-Control"))
	}
	body, err := io.ReadAll(response.Body)
	check(err, path)
	return body
}

// index spells a tile's number and width as the specification does.
func index(n int64, width int) string {
	text := fmt.Sprintf("%03d", n%1000)
	for n >= 1000 {
		n /= 1000
		text = fmt.Sprintf("x%03d/%s", n%1000, text)
	}
	if width < 256 {
		text += fmt.Sprintf(".p/%d", width)
	}
	return text
}

// Height, ReadTiles and SaveTiles make the client a tlog.TileReader; the library verifies every tile against the root.
func (c client) Height() int { return 8 }

func (c client) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	var data [][]byte
	for _, tile := range tiles {
		data = append(data, c.get(fmt.Sprintf("tile/%d/%s", tile.L, index(tile.N, tile.W)), "application/octet-stream"))
	}
	return data, nil
}

func (c client) SaveTiles([]tlog.Tile, [][]byte) {}

func bundles(c client, head checkpoint, reader tlog.HashReader) {
	for first := int64(0); first < head.tree.N; first += 256 {
		width := min(256, head.tree.N-first)
		data := c.get("tile/entries/"+index(first/256, int(width)), "application/octet-stream")
		for n := first; n < first+width; n++ {
			if len(data) < 2 || len(data) < 2+int(binary.BigEndian.Uint16(data)) {
				fail("bundle at %d ends early", n)
			}
			length := int(binary.BigEndian.Uint16(data))
			leaf, err := reader.ReadHashes([]int64{tlog.StoredHashIndex(0, n)})
			check(err, "leaf")
			if leaf[0] != tlog.RecordHash(data[2:2+length]) {
				fail("record %d is not its leaf", n)
			}
			data = data[2+length:]
		}
		if len(data) > 0 {
			fail("bundle at %d is too long", first)
		}
	}
}

func proof(text string, known note.Verifiers) {
	head, signed, found := strings.Cut(text, "\n\n")
	lines := strings.Split(head, "\n")
	if !found || lines[0] != "c2sp.org/tlog-proof@v1" {
		fail("not a proof: %q", lines[0])
	}
	extra, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(lines[1], "extra "))
	check(err, "extra")
	n, err := strconv.ParseInt(strings.TrimPrefix(lines[2], "index "), 10, 64)
	check(err, "index")
	var hashes tlog.RecordProof
	for _, line := range lines[3:] {
		hash, err := tlog.ParseHash(line)
		check(err, "hash")
		hashes = append(hashes, hash)
	}
	at, _ := open([]byte(signed), known)
	commitment := sha256.Sum256(extra)
	check(tlog.CheckRecord(hashes, at.tree.N, at.tree.Hash, n, tlog.RecordHash(commitment[:])), "inclusion")
}

func main() {
	if len(os.Args) != 6 {
		fail("five arguments are needed")
	}
	verifier, err := note.NewVerifier(os.Args[2])
	check(err, "log's key")
	known := []note.Verifier{verifier}
	if os.Args[3] != "-" {
		witness, err := fnote.NewVerifierForCosignatureV1(os.Args[3])
		check(err, "witness's key")
		known = append(known, witness)
	}
	c := client{prefix: os.Args[1], token: os.Getenv("TLOG_TOKEN")}
	head, signed := open(c.get("checkpoint", "text/plain; charset=utf-8"), note.VerifierList(known...))
	if len(signed.Sigs) != len(known) {
		fail("%d of %d signatures", len(signed.Sigs), len(known))
	}
	if head.origin != verifier.Name() {
		fail("origin %q", head.origin)
	}
	reader := tlog.TileHashReader(head.tree, c)
	root, err := tlog.TreeHash(head.tree.N, reader)
	check(err, "tree")
	if root != head.tree.Hash {
		fail("root")
	}
	bundles(c, head, reader)
	text, err := os.ReadFile(os.Args[4])
	check(err, "old checkpoint")
	old, _ := open(text, note.VerifierList(verifier))
	consistency, err := tlog.ProveTree(head.tree.N, old.tree.N, reader)
	check(err, "consistency")
	check(tlog.CheckTree(consistency, head.tree.N, head.tree.Hash, old.tree.N, old.tree.Hash), "consistency")
	text, err = os.ReadFile(os.Args[5])
	check(err, "proof")
	proof(string(text), note.VerifierList(verifier))
	fmt.Printf("ok %d %d\n", old.tree.N, head.tree.N)
}
