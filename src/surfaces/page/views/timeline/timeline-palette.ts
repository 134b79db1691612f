/** The colours that the canvas needs, read from the style sheet: a canvas knows no variables. */
const NAMES = [
  ...(["--text", "--muted", "--line", "--line-strong", "--surface", "--raised", "--accent"] as const),
  ...(["--bad", "--warn", "--warn-ground"] as const),
];

type ColourName = (typeof NAMES)[number];

export interface Palette {
  readonly colours: Readonly<Record<ColourName, string>>;
  readonly tones: readonly string[];
  /** Of each tone, the colour of text on it. */
  readonly inks: readonly string[];
  /** The family alone. */
  readonly face: string;
}

const TONES = 8;

/** `beside` is the element whose colours they are. */
export function readPalette(beside: HTMLElement): Palette {
  const probe = document.createElement("span");
  beside.append(probe);
  const read = (name: string) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const colours = Object.fromEntries(NAMES.map((name) => [name, read(name)])) as Record<ColourName, string>;
  const tones = Array.from({ length: TONES }, (_, tone) => read(`--tone-${tone}`));
  const face = getComputedStyle(beside).fontFamily;
  probe.remove();
  return { colours, tones, inks: tones.map(inkOn), face };
}

const BLACK = "#000000";
const WHITE = "#ffffff";
/** Black and white have the same contrast to a ground of this luminance. */
const EVEN_LUMINANCE = 0.179;

/** Black or white, whichever has more contrast to a ground such as `rgb(44, 111, 187)`. */
export function inkOn(ground: string): string {
  const [red = 0, green = 0, blue = 0] = (ground.match(/[\d.]+/g) ?? []).map((part) => linear(Number(part) / 255));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > EVEN_LUMINANCE ? BLACK : WHITE;
}

function linear(part: number): number {
  return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}

/** Calls back when the user or the page changes the theme; returns what ends that. */
export function watchTheme(changed: () => void): () => void {
  const queries = ["(prefers-color-scheme: dark)", "(forced-colors: active)"].map((query) => matchMedia(query));
  for (const query of queries) query.addEventListener("change", changed);
  const root = new MutationObserver(changed);
  root.observe(document.documentElement, { attributes: true });
  return () => {
    for (const query of queries) query.removeEventListener("change", changed);
    root.disconnect();
  };
}
