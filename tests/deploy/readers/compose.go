package main

import (
	"context"

	"github.com/compose-spec/compose-go/v2/cli"
)

// The first argument may be --profile, and the second its name.
func readCompose(arguments []string) (any, error) {
	var profiles []string
	if arguments[0] == "--profile" {
		profiles, arguments = arguments[1:2], arguments[2:]
	}
	options, err := cli.NewProjectOptions(arguments, cli.WithName("scattergate"),
		cli.WithProfiles(profiles), cli.WithResolvedPaths(true))
	if err != nil {
		return nil, err
	}
	// Checks against the schema of the Compose specification, and that all references hold.
	project, err := options.LoadProject(context.Background())
	if err != nil {
		return nil, err
	}
	return project, nil
}
