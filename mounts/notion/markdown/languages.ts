/** The languages of Notion's code blocks, and what people call them. */
import { nearest } from '../../../src/mount/index.ts';

/** https://developers.notion.com/reference/block#code */
const LANGUAGES: ReadonlySet<string> = new Set(
  [
    'abap, abc, agda, arduino, ascii art, assembly, bash, basic, bnf, c, c#, c++, clojure',
    'coffeescript, coq, css, dart, dhall, diff, docker, ebnf, elixir, elm, erlang, f#, flow',
    'fortran, gherkin, glsl, go, graphql, groovy, haskell, hcl, html, idris, java, javascript',
    'json, julia, kotlin, latex, less, lisp, livescript, llvm ir, lua, makefile, markdown',
    'markup, matlab, mathematica, mermaid, nix, notion formula, objective-c, ocaml, pascal',
    'perl, php, plain text, powershell, prolog, protobuf, purescript, python, r, racket',
    'reason, ruby, rust, sass, scala, scheme, scss, shell, smalltalk, solidity, sql, swift',
    'toml, typescript, vb.net, verilog, vhdl, visual basic, webassembly, xml, yaml',
    'java/c/c++/c#',
  ].flatMap((line) => line.split(', ')),
);

const OTHER_NAMES: Readonly<Record<string, string>> = {
  '': 'plain text',
  text: 'plain text',
  txt: 'plain text',
  plain: 'plain text',
  plaintext: 'plain text',
  console: 'shell',
  sh: 'shell',
  zsh: 'shell',
  js: 'javascript',
  jsx: 'javascript',
  mjs: 'javascript',
  ts: 'typescript',
  tsx: 'typescript',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  golang: 'go',
  kt: 'kotlin',
  cs: 'c#',
  csharp: 'c#',
  cpp: 'c++',
  fsharp: 'f#',
  'objective-c++': 'objective-c',
  objc: 'objective-c',
  hs: 'haskell',
  yml: 'yaml',
  md: 'markdown',
  jsonc: 'json',
  dockerfile: 'docker',
  make: 'makefile',
  tf: 'hcl',
  terraform: 'hcl',
  proto: 'protobuf',
  tex: 'latex',
  patch: 'diff',
  ps1: 'powershell',
  svg: 'xml',
  vb: 'visual basic',
  wasm: 'webassembly',
};

export const PLAIN_TEXT = 'plain text';

/** Notion's name of a language; the nearest ones where it has none. */
export function languageOf(name: string): { language: string } | { nearest: string[] } {
  const wanted = name.trim().toLowerCase();
  const language = OTHER_NAMES[wanted] ?? wanted;
  return LANGUAGES.has(language) ? { language } : { nearest: nearest(wanted, LANGUAGES) };
}
