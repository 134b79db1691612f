/** `tt prompt init`: what to put into the configuration of a shell, of tmux or of Claude Code. */

import { isRefusal } from "../../../../core/refusal.ts";
import { shellWord } from "../../../../core/shell-word.ts";
import type { Command } from "../../command.ts";
import { EXIT } from "../../exit-codes.ts";
import bash from "../../prompt/bash.sh";
import fish from "../../prompt/fish.sh";
import script from "../../prompt/line.sh";
import zsh from "../../prompt/zsh.sh";
import { UsageError } from "../../usage-error.ts";

/** `script`: where our script for status lines is. */
interface Place {
  readonly directory: string;
  readonly script: string;
}

interface Snippet {
  readonly text: (place: Place) => string;
  readonly usesScript?: true;
}

const SNIPPETS: Readonly<Record<string, Snippet>> = {
  bash: { text: ({ directory }) => filledIn(bash, shellWord(directory)) },
  zsh: { text: ({ directory }) => filledIn(zsh, shellWord(directory)) },
  fish: { text: ({ directory }) => filledIn(fish, fishWord(directory)) },
  tmux: {
    usesScript: true,
    text: (place) => {
      const command = `sh ${shellWord(place.script)} tmux`.replace(/[#%]/g, "$&$&");
      const right = tmuxWord(` #(${command} #{pane_pid} #{pane_id})`);
      // A configuration that is read again must not add it again.
      const isThere = "#{m:*/prompt/line.sh*,#{status-right}}";
      const add = `if-shell -F '${isThere}' '' ${tmuxWord(`set -ga status-right ${right}`)}`;
      // By default there is room for what tmux itself shows, and for nothing else.
      return `set -g status-right-length 120\n${add}\n`;
    },
  },
  claude: {
    usesScript: true,
    text: (place) =>
      `${JSON.stringify({ statusLine: { type: "command", command: `sh ${shellWord(place.script)} claude` } }, null, 2)}\n`,
  },
};

const NAMES = Object.keys(SNIPPETS);

export const prompt: Command = {
  name: "prompt",
  roomless: true,
  summary: "show the stick and your mail in the prompt of your shell",
  details: [
    "It prints what to add to the configuration of bash, zsh, fish or tmux (~/.tmux.conf), or to Claude Code's settings (~/.claude/settings.json). In a room the prompt then begins with a line such as [stick:codex ✉1 ?claude]: codex holds the stick, one message is unread, and claude waits for your answer.",
    "It starts no program. It reads files that commands keep when they change something, so it does not notice by itself that a holder died.",
  ],
  example: "tt prompt init bash >> ~/.bashrc",
  positionals: [
    { name: "init", required: true, literal: true },
    { name: NAMES.join("|"), required: true },
  ],
  async run(context, args) {
    const name = args.required(NAMES.join("|"));
    const snippet = Object.hasOwn(SNIPPETS, name) ? SNIPPETS[name] : undefined;
    if (args.required("init") !== "init" || snippet === undefined) {
      throw new UsageError(
        `tt prompt knows init for ${NAMES.slice(0, -1).join(", ")} and ${NAMES.at(-1)}.`,
        "For example: tt prompt init bash",
      );
    }
    const place = context.ports.promptPlace(
      snippet.usesScript ? (directory) => filledIn(script, shellWord(directory)) : null,
    );
    if (isRefusal(place)) return context.refuse(place);
    await context.ports.writeOut(snippet.text(place));
    return EXIT.done;
  },
};

function filledIn(text: string, directory: string): string {
  return text.replace("@DIRECTORY@", () => directory);
}

/** In fish, a backslash escapes also between single quotes. */
function fishWord(text: string): string {
  return `'${text.replace(/['\\]/g, "\\$&")}'`;
}

/** A string of tmux's configuration. */
function tmuxWord(text: string): string {
  return `"${text.replace(/["\\$]/g, "\\$&")}"`;
}
