/** The colours that the canvas needs, read from the style sheet: a canvas knows no variables. */
const NAMES = [
  ...(["--text", "--muted", "--line", "--line-strong", "--surface", "--raised", "--accent"] as const),
  ...(["--on-accent", "--bad", "--warn", "--warn-ground"] as const),
];

type ColourName = (typeof NAMES)[number];

export interface Palette {
  readonly colours: Readonly<Record<ColourName, string>>;
  readonly tones: readonly string[];
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
  return { colours, tones, face };
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
