/** A .sql file is imported as its text, by the bundler and by the tests alike. */
declare module "*.sql" {
  const text: string;
  export default text;
}

/** So is a shell script. */
declare module "*.sh" {
  const text: string;
  export default text;
}

declare module "*.md" {
  const text: string;
  export default text;
}
