/** What differs from harness to harness when it is set up. */
import type { Document } from "./entry.ts";
import type { ConfigFile, WholeFile } from "./wanted-file.ts";

/** Written into files, because the environment of a harness's child processes is not reliable. */
export interface Pins {
  readonly version: string;
  /** Absolute paths of Node and of the programs that it runs. */
  readonly node: string;
  readonly program: string;
  readonly hookProgram: string;
  /**
   * The script that the hooks call. Harnesses run it outside of any sandbox, so it lies where no sandbox lets an agent
   * write: never in the data directory.
   */
  readonly hookScript: string;
  readonly dataDir: string;
  /** The variables that choose the store. */
  readonly variables: Readonly<Record<string, string>>;
  /** Whether the store may be on another machine, behind certificates. */
  readonly sharedStore: boolean;
  readonly skill: string;
}

export interface HarnessPlaces {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly exists: (path: string) => boolean;
  /** Where a path leads behind links. */
  readonly real: (path: string) => string;
}

export interface HarnessSetup {
  readonly name: string;
  readonly title: string;
  /** What sets it up, where that is more than `tt install` and its name. */
  readonly command?: string;
  /** The program by which it is started. */
  readonly program: string;
  directory(places: HarnessPlaces): string;
  /** The variables that make this its directory; null for the one that it has without them. */
  leadTo(directory: string | null): Readonly<Record<string, string | undefined>>;
  /** Files of its own with our entries, and files of ours that it loads. The format follows from a file's name. */
  files(pins: Pins, places: HarnessPlaces): readonly (Omit<ConfigFile, "format"> | WholeFile)[];
  /** The directory in which it looks for skills. */
  skills(places: HarnessPlaces): string;
  /** What its user has to know once it is set up. */
  notes(pins: Pins): readonly string[];
  /** Hooks that stand in its configuration and that it will not run yet; only where a harness has such a thing. */
  untrustedHooks?(places: HarnessPlaces, read: (path: string) => Document | null): readonly string[];
}
