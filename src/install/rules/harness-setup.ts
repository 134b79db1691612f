/** The differences between harnesses in how they are set up. */
import type { Document, Json } from "./entry.ts";
import type { ConfigFile, WholeFile } from "./wanted-file.ts";

/** Written into files, because the environment of a harness's child processes is not reliable. */
export interface Pins {
  readonly version: string;
  /** Absolute paths of Node and of the programs that it runs. */
  readonly node: string;
  readonly program: string;
  readonly hookProgram: string;
  /**
   * The script that the hooks call. Harnesses run it outside of any sandbox, so it must be where no sandbox lets an
   * agent write. That is never the data directory.
   */
  readonly hookScript: string;
  readonly dataDir: string;
  /** The variables that choose the store. */
  readonly variables: Readonly<Record<string, string>>;
  /** Whether the store may be on another machine, behind certificates. */
  readonly sharedStore: boolean;
  readonly skill: string;
  /** Whether the hook that asks before each write is set up, too. */
  readonly guard: boolean;
}

export interface HarnessPlaces {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** Where the user is now. A harness that is started there also reads the settings of that project. */
  readonly project: string;
  readonly exists: (path: string) => boolean;
  /** The path without symlinks. */
  readonly real: (path: string) => string;
}

/** What a harness would lack of ours if it were started as it is set up now. */
export interface Lacking {
  /** Our entries that are not in its files, in the form of those files. */
  readonly entries: Readonly<Record<string, Json>>;
  /** Where files of ours are that its directory should hold. */
  readonly files: readonly string[];
  /** What its user types after its name. */
  readonly words: readonly string[];
}

/** What gives a harness our entries for one run. */
export interface OneRun {
  /** They come before the words of its user. */
  readonly words?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What it does not get in this way, in sentences. */
  readonly missing?: readonly string[];
}

/** Null if there is no such file, or if it cannot be read. */
export type ReadDocument = (path: string) => Document | null;

export interface HarnessSetup {
  readonly name: string;
  readonly title: string;
  /** The command that sets it up, if that is more than `tt install` and its name. */
  readonly command?: string;
  /** The program by which it is started. */
  readonly program: string;
  directory(places: HarnessPlaces): string;
  /** The variables that make the harness use this directory; null for its default directory. */
  leadTo(directory: string | null): Readonly<Record<string, string | undefined>>;
  /** Files of its own with our entries, and files of ours that it loads. The format follows from a file's name. */
  files(pins: Pins, places: HarnessPlaces): readonly (Omit<ConfigFile, "format"> | WholeFile)[];
  /** The directory in which it looks for skills. */
  skills(places: HarnessPlaces): string;
  /** What its user has to know once it is set up. */
  notes(pins: Pins): readonly string[];
  /**
   * Hooks in its configuration that it does not run yet, because its user has not trusted them. Only some harnesses
   * have this.
   */
  untrustedHooks?(places: HarnessPlaces, read: ReadDocument): readonly string[];
  /** How it takes our entries for one run, by words and variables alone. Without this, it cannot. */
  forOneRun?(lacking: Lacking, places: HarnessPlaces): OneRun;
  /** Settings of its user, each with its place, that keep it from running our hooks or from starting our server. */
  switchedOff?(places: HarnessPlaces, read: ReadDocument): readonly string[];
}
