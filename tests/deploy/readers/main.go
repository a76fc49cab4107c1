// Reads what is shipped for Compose and Kubernetes with the very libraries that read it in earnest,
// strictly, and prints what they made of it as JSON:
//
//	readers compose [--profile NAME] FILE...   the project, as `docker compose config` has it
//	readers kubernetes FOLDER|FILE...          the objects, kustomizations rendered
package main

import (
	"encoding/json"
	"fmt"
	"os"
)

func main() {
	if len(os.Args) < 3 {
		fail(fmt.Errorf("usage: readers compose|kubernetes FILE..."))
	}
	var made any
	var err error
	switch os.Args[1] {
	case "compose":
		made, err = readCompose(os.Args[2:])
	case "kubernetes":
		made, err = readKubernetes(os.Args[2:])
	default:
		err = fmt.Errorf("unknown: %s", os.Args[1])
	}
	if err != nil {
		fail(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(made); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
