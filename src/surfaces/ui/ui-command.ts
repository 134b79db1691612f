/** tt ui: the page. Its server is a program of its own; the whole program has this line for its help. */
import type { Command } from "../cli/command.ts";
import type { CliContext } from "../cli/context.ts";
import { UsageError } from "../cli/usage-error.ts";

export interface UiOptions {
  /** Without one, a free port. */
  readonly port: number | undefined;
  readonly readOnly: boolean;
  readonly opensBrowser: boolean;
}

export const uiCommand = (open: (context: CliContext, options: UiOptions) => Promise<number>): Command => ({
  name: "ui",
  summary: "all your rooms on a page in your browser, for as long as this runs",
  details: [
    "It shows what tt watch and tt chat show, with turns, diffs and a timeline, and steps in as they do. It listens on",
    "this machine alone, and answers only a browser that has its address. Unless a person starts it under their own",
    "name, it only shows.",
    "The page about it: docs/page.md",
  ],
  example: "tt ui",
  positionals: [{ name: "path" }],
  flags: {
    port: { kind: "number", value: "N", help: "listen on this port of 127.0.0.1; a free one by default" },
    "read-only": { kind: "boolean", help: "the page changes nothing" },
    "no-open": { kind: "boolean", help: "start no browser; print the address, which is as good as a password" },
  },
  run(context, args) {
    const port = args.number("port");
    if (port !== undefined && !(Number.isInteger(port) && port >= 1 && port <= 65_535))
      throw new UsageError(`${port} is no port.`, "Give a number from 1 to 65535, or leave out --port.");
    return open(context, { port, readOnly: args.isSet("read-only"), opensBrowser: !args.isSet("no-open") });
  },
});
