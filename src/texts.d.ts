/** Texts that are installed elsewhere are imported as what they are, by the bundler and by the tests alike. */
declare module "*.sh" {
  const text: string;
  export default text;
}

declare module "*.md" {
  const text: string;
  export default text;
}
