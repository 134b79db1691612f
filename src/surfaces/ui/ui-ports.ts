/** The world outside of the page's server, as main wires it. */
export interface UiPorts {
  readonly secret: {
    readonly text: string;
    readonly matches: (given: string) => boolean;
  };
  /** The files of the page, by their paths. They are the same for every reader. */
  readonly files: ReadonlyMap<string, PageFile>;
  /** Starts the person's browser with a file of this text, unless it is time to quit. Null if none could be started. */
  readonly openBrowser: (redirect: string, quit: AbortSignal) => Promise<OpenedBrowser | null>;
}

export interface PageFile {
  readonly type: string;
  readonly bytes: Uint8Array;
}

export interface OpenedBrowser {
  /** Removes the file. May be called more than once. */
  readonly forget: () => void;
}
