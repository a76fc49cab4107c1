// Package callsites adds to each MongoDB command the line of the application that sent it, and the running test.
//
// Both go into the command's comment: file='/src/orders.go',line='42',test='orders.TestList'. `scattergate gate` and
// `scattergate report` read them. A comment of the application stays, after them.
//
// Copy this file into your module, for example as internal/callsites/callsites.go, and use the dialer where the client's
// options are made. It needs nothing but Go's library, and supports the versions 1 and 2 of the official driver:
//
//	opts := options.Client().ApplyURI(uri).SetDialer(callsites.Dialer{})
//
// Connections with TLS or compression are left as they are.
package callsites

import (
	"bytes"
	"context"
	"encoding/binary"
	"net"
	"net/url"
	"reflect"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
)

// Dialer makes connections that add comments. The zero value is ready to use.
type Dialer struct{ net.Dialer }

// DialContext connects as net.Dialer does.
func (d Dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	connected, err := d.Dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &conn{Conn: connected}, nil
}

// Every server since 4.4 (wire version 9) accepts a comment in these commands; earlier ones only if the value is true.
var commands = map[string]bool{"find": true, "aggregate": true, "bulkWrite": false, "collMod": false, "count": false,
	"createIndexes": false, "delete": false, "distinct": false, "dropIndexes": false, "findAndModify": false, "insert": false,
	"mapReduce": false, "renameCollection": false, "update": false}

const (
	wireVersionOf44 = 9
	opMsg           = 2013
	headerBytes     = 20 // with the flags
	hasChecksum     = 1
	longestMessage  = 40 << 20 // longer ones may have no room for a comment
	mostOfPath      = 160      // scattergate keeps 256 bytes of a comment
	mostOfHello     = 1 << 20
)

type conn struct {
	net.Conn
	wireVersion atomic.Int32
	hello       []byte // what was read until the server's version is known
}

var versionKey = []byte("\x10maxWireVersion\x00")

func (c *conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if c.wireVersion.Load() == 0 && len(c.hello) < mostOfHello {
		c.hello = append(c.hello, b[:n]...)
		if at := bytes.Index(c.hello, versionKey); at >= 0 && len(c.hello) >= at+len(versionKey)+4 {
			c.wireVersion.Store(int32(binary.LittleEndian.Uint32(c.hello[at+len(versionKey):])))
			c.hello = nil
		}
	}
	return n, err
}

// Write sends a message of the driver, which writes each as a whole, in the goroutine of the operation.
func (c *conn) Write(b []byte) (int, error) {
	changed := c.withComment(b)
	n, err := c.Conn.Write(changed)
	if err == nil {
		return len(b), nil
	}
	return min(n, len(b)), err
}

// withComment returns a copy of the message with a comment, or the message itself.
func (c *conn) withComment(b []byte) []byte {
	start, end := body(b)
	if start == 0 {
		return b
	}
	at := start + 4
	_, name, _ := element(b[at:end])
	always, takesComment := commands[name]
	if !takesComment || !always && c.wireVersion.Load() < wireVersionOf44 {
		return b
	}
	given, from, to := "", end-1, end-1
	for at < end-1 {
		kind, name, size := element(b[at:end])
		if size == 0 {
			return b
		}
		if name == "comment" {
			if kind != 0x02 {
				return b
			}
			given, from, to = string(b[at+len("\x02comment\x00")+4:at+size-1]), at, at+size
			break
		}
		at += size
	}
	comment := comment(given)
	if comment == given {
		return b
	}
	added := append([]byte("\x02comment\x00"), binary.LittleEndian.AppendUint32(nil, uint32(len(comment)+1))...)
	added = append(append(added, comment...), 0)
	made := append(append(append(make([]byte, 0, len(b)+len(added)), b[:from]...), added...), b[to:]...)
	grown := uint32(len(made) - len(b))
	for _, length := range []int{0, start} {
		binary.LittleEndian.PutUint32(made[length:], binary.LittleEndian.Uint32(made[length:])+grown)
	}
	return made
}

// body returns where the command of an OP_MSG begins and ends; zeros if there is none.
func body(b []byte) (int, int) {
	isMessage := len(b) > headerBytes && len(b) < longestMessage && uint32(len(b)) == binary.LittleEndian.Uint32(b) &&
		binary.LittleEndian.Uint32(b[12:]) == opMsg && b[16]&hasChecksum == 0
	for at := headerBytes; isMessage && at+5 < len(b); {
		size := int(binary.LittleEndian.Uint32(b[at+1:]))
		if size < 5 || size > len(b)-at-1 {
			break
		}
		if b[at] == 0 {
			return at + 1, at + 1 + size
		}
		at += 1 + size
	}
	return 0, 0
}

// element returns the type, name and size of the first element; a size of 0 if it is damaged.
func element(b []byte) (kind byte, name string, size int) {
	end := bytes.IndexByte(b, 0)
	if end < 1 {
		return 0, "", 0
	}
	kind, name, size = b[0], string(b[1:end]), end+1
	value := b[size:]
	length := func(further int) int {
		if len(value) < 4 {
			return len(b)
		}
		return int(int32(binary.LittleEndian.Uint32(value))) + further
	}
	switch kind {
	case 0x06, 0x0A, 0x7F, 0xFF:
	case 0x08:
		size++
	case 0x10:
		size += 4
	case 0x01, 0x09, 0x11, 0x12:
		size += 8
	case 0x07:
		size += 12
	case 0x13:
		size += 16
	case 0x03, 0x04, 0x0F:
		size += length(0)
	case 0x02, 0x0D, 0x0E:
		size += length(4)
	case 0x05:
		size += length(5)
	case 0x0C:
		size += length(16)
	case 0x0B:
		pattern := bytes.IndexByte(value, 0)
		options := bytes.IndexByte(value[pattern+1:], 0)
		size += pattern + options + 2
	default:
		return kind, name, 0
	}
	if size <= end || size > len(b) {
		return kind, name, 0
	}
	return kind, name, size
}

var (
	place = regexp.MustCompile(`\.\w+:\d|file(path|name)?='`)
	// example.com/shop/orders.TestList.func1, example.com/shop/orders.(*suite).TestList
	testFunction = regexp.MustCompile(`[^/]+\.(?:Test|Benchmark|Fuzz|Example)[^.]*`)
	goRoot       = rootOfGo()
)

// comment returns the comment of a command that the application has given this one.
func comment(given string) string {
	site, test := sender()
	var parts []string
	if site != "" && !place.MatchString(given) {
		parts = append(parts, site)
	}
	if test != "" {
		parts = append(parts, "test='"+written(test)+"'")
	}
	made := strings.Join(parts, ",")
	if made != "" && given != "" {
		made += " "
	}
	return made + given
}

// sender returns the nearest line of the application on the stack, and the name of the test below.
func sender() (site, test string) {
	counters := make([]uintptr, 256)
	frames := runtime.CallersFrames(counters[:runtime.Callers(1, counters)])
	for {
		frame, more := frames.Next()
		if isOfApplication(frame) {
			if site == "" {
				site = "file='" + pathOf(frame.File) + "',line='" + strconv.Itoa(frame.Line) + "'"
			}
			if found := testFunction.FindString(frame.Function); found != "" && strings.HasSuffix(frame.File, "_test.go") {
				test = found
			}
		}
		if !more {
			return site, test
		}
	}
}

func isOfApplication(frame runtime.Frame) bool {
	return frame.File != "" && frame.File != "<autogenerated>" && !strings.HasPrefix(frame.File, goRoot) &&
		!strings.Contains(frame.File, "/pkg/mod/") && !strings.Contains(frame.File, "/vendor/") &&
		!strings.HasPrefix(frame.Function, ownPackage)
}

var ownPackage = reflect.TypeOf(conn{}).PkgPath() + "."

// rootOfGo returns the folder of the sources of Go's library.
func rootOfGo() string {
	of := runtime.FuncForPC(reflect.ValueOf(strings.Index).Pointer())
	file, _ := of.FileLine(of.Entry())
	return strings.TrimSuffix(file, "strings/strings.go")
}

func pathOf(file string) string {
	path := written(file)
	if len(path) > mostOfPath { // the end of a long path is enough to find the file
		path = path[len(path)-mostOfPath:]
		path = path[max(strings.IndexByte(path, '/'), 0):]
	}
	return path
}

// written escapes a text as sqlcommenter does.
func written(text string) string {
	return strings.NewReplacer("+", "%20", "%2F", "/").Replace(url.QueryEscape(text))
}
