/** The program that stands in the configurations of harnesses: a shell script with every path written into it. */
import { shellWord } from "../core/shell-word.ts";
import template from "./tt-hook.sh";

export interface HookScriptOptions {
  readonly version: string;
  /** Absolute paths. */
  readonly node: string;
  readonly hookProgram: string;
  readonly dataDir: string;
  /** Further variables, such as TT_STORE and TT_CONFIG, for harnesses that strip the environment. */
  readonly pinned?: Readonly<Record<string, string>>;
  /** Whether the settings name a store on another machine. */
  readonly sharedStore?: boolean;
}

/** Node 20 reads them all at every start, which takes longer than everything else. */
const WITHOUT_CERTIFICATES = `case $TT_STORE in
  postgres*) ;;
  *) unset NODE_EXTRA_CA_CERTS ;;
  esac`;

export function hookScript(options: HookScriptOptions): string {
  const { version, node, hookProgram, dataDir, pinned = {}, sharedStore = false } = options;
  const values: Readonly<Record<string, string>> = {
    VERSION: version,
    NODE: shellWord(node),
    HOOK_PROGRAM: shellWord(hookProgram),
    DATA_DIR: shellWord(dataDir),
    PINNED_ENV: pinnedLines(pinned),
    CERTIFICATES: sharedStore ? ":" : WITHOUT_CERTIFICATES,
  };
  return template.replace(/@([A-Z_]+)@/g, (place, name: string) => values[name] ?? place);
}

/** What the environment says counts more than what was written down. */
function pinnedLines(pinned: Readonly<Record<string, string>>): string {
  const lines = Object.entries(pinned).map(
    ([name, value]) => `[ -n "$${name}" ] || ${name}=${shellWord(value)}\n  export ${name}`,
  );
  return lines.length === 0 ? ":" : lines.join("\n  ");
}
