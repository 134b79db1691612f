/**
 * The page with a recording in it, as one text. A browser opens it from a file, so no server can send its policy: the
 * page itself names it. Only the script and the style of this build may run, which their digests prove.
 */
import { invariant } from "../../core/invariant.ts";
import { RECORDING_ELEMENT, type Recording } from "../wire/recording.ts";

/** The built page. */
export interface PageParts {
  readonly html: string;
  readonly script: string;
  readonly style: string;
}

export interface RecordingTools {
  /** SHA-256 in base64. */
  readonly digest: (text: string) => string;
  /** By gzip, in base64. */
  readonly compressed: (text: string) => Promise<string>;
}

const LINK = /<link\b[^>]*>\s*/g;
const SCRIPT = /<script src="\/page\.js"><\/script>/;
const CHARSET = /<meta charset="utf-8">/;
const WITHOUT_SCRIPT = /<noscript>[^<]*<\/noscript>/;
/** From here on a browser would look for the end of a comment and not of the script. It only stands in texts and patterns. */
const COMMENT = /<!--/g;

export async function recordingPage(
  parts: PageParts,
  recording: Recording,
  { digest, compressed }: RecordingTools,
): Promise<string> {
  const script = parts.script.replace(COMMENT, "\\x3C!--");
  const { style, html } = parts;
  invariant(
    !/<\/script/i.test(script) && !/<\/style/i.test(style),
    "the built page has the end of its own element in it",
  );
  invariant(SCRIPT.test(html) && CHARSET.test(html), "the built page has no place for its script");
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${digest(script)}'`,
    `style-src 'sha256-${digest(style)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const head = `<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="${policy}">`;
  // A browser does not run a script of this type. Base64 has no character that could end it.
  const data = `<script type="application/gzip" id="${RECORDING_ELEMENT}">${await compressed(JSON.stringify(recording))}</script>`;
  // A function, because a text would be searched for the signs of a replacement.
  return html
    .replace(LINK, "")
    .replace(CHARSET, () => head)
    .replace("</head>", () => `<style>${style}</style>\n</head>`)
    .replace(WITHOUT_SCRIPT, "<noscript>This recording needs JavaScript.</noscript>")
    .replace(SCRIPT, () => `${data}\n<script>${script}</script>`);
}

/** What is in a recording, counted. */
export interface RecordingCounts {
  readonly events: number;
  readonly messages: number;
  readonly notes: number;
  readonly turns: number;
  /** The turns whose code is in it. */
  readonly diffs: number;
}

export function countsOf({ events, notesBefore, turns }: Recording): RecordingCounts {
  const count = (type: Recording["events"][number]["type"]) => events.filter((event) => event.type === type).length;
  return {
    events: events.length,
    messages: count("message_sent"),
    notes: notesBefore.length + count("note_added"),
    turns: turns.length,
    diffs: turns.filter(({ patch }) => patch !== null).length,
  };
}
