/** Variables that change which program runs, or what it does, and those that do not. */
import { isReader } from "./programs.ts";
import type { Argument } from "./words.ts";

/** The shell, the loader, git, pagers, editors, interpreters and programs with settings read these. */
const POWERFUL = new RegExp(
  `^(${[
    "PATH|HOME|IFS|ENV|SHELL|SHELLOPTS|BASHOPTS|BASH_\\w+|PS[0-4]|PROMPT_COMMAND|CDPATH|FPATH|ZDOTDIR|NULLCMD|READNULLCMD",
    "GLOBIGNORE|EXECIGNORE|POSIXLY_CORRECT|HISTFILE|FCEDIT|TMPDIR|TMP|TEMP|TERMINFO\\w*|TERMCAP|XDG_\\w+",
    "LD_\\w+|DYLD_\\w+|GLIBC_TUNABLES|GCONV_PATH|LOCPATH|NLSPATH|MALLOC_\\w+",
    "GIT_\\w+|SSH_\\w+|GH_\\w+|\\w*PAGER|\\w*EDITOR|VISUAL|BROWSER|LESS\\w*|MORE|MAN\\w+",
    "RIPGREP_\\w+|GREP_\\w+|[EF]?GREP|DIFF|CMP|GETCONF_\\w+|TAR_\\w+|TAPE|GZIP\\w*|BZIP\\w*|XZ_\\w+|ZSTD_\\w+|UNZIP\\w*|ZIP\\w*|CURL_\\w+|\\w*WGETRC",
    "AWK\\w+|PERL\\w+|PYTHON\\w*|NODE_\\w+|RUBY\\w+|JAVA_\\w+|DOCKER_\\w+|KUBE\\w+|npm_\\w+|NPM_\\w+|TT_\\w+",
    "\\w+_(?:OPTS|OPTIONS|ASKPASS|COMMAND|CONFIG|PRELOAD)",
  ].join("|")})$`,
);

/** With these before it, every program does to files what it does without. */
const HARMLESS =
  /^(LC_\w+|LANG|LANGUAGE|TZ|TERM|COLORTERM|COLUMNS|LINES|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|CI|DEBUG|VERBOSE|GIT_OPTIONAL_LOCKS|GIT_TERMINAL_PROMPT)$/;

/** A pager that only prints. */
function isPlainPager(name: string, value: Argument | null): boolean {
  return /^(GIT_|MAN|GH_|AWS_)?PAGER$/.test(name) && value?.isLiteral === true && /^(cat)?$/.test(value.text);
}

/** Whether the rest of the line may do anything once this variable is set. */
export function isPowerful(name: string, value: Argument | null): boolean {
  return POWERFUL.test(name) && !HARMLESS.test(name) && !isPlainPager(name, value);
}

/** Whether a program does the same with this variable set for it alone. */
export function isHarmlessFor(program: string, name: string, value: Argument | null): boolean {
  if (HARMLESS.test(name) || isPlainPager(name, value) || (program === "read" && name === "IFS")) return true;
  return isReader(program) && !POWERFUL.test(name);
}
