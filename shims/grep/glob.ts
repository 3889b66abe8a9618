/** fnmatch(3) patterns as regular expressions. */

function bracket(glob: string, at: number): { source: string; next: number } | null {
  let i = at + 1;
  const negated = glob[i] === '!' || glob[i] === '^';
  if (negated) i++;
  let body = '';
  const first = i;
  for (; i < glob.length; i++) {
    const c = glob[i] as string;
    if (c === ']' && i > first) {
      return { source: `[${negated ? '^' : ''}${body}]`, next: i + 1 };
    }
    const posix = /^\[:(\w+):\]/.exec(glob.slice(i));
    if (posix !== null) {
      const name = posix[1] ?? '';
      body += CLASSES[name] ?? '';
      i += posix[0].length - 1;
    } else if (c === '\\' && i + 1 < glob.length) {
      i++;
      body += `\\${glob[i]}`.replace(/\\([A-Za-z0-9])/, '$1');
    } else body += /[\\[\]^&~|]/.test(c) ? `\\${c}` : c;
  }
  return null;
}

const CLASSES: Record<string, string> = {
  alpha: '\\p{L}',
  digit: '0-9',
  alnum: '\\p{L}\\p{N}',
  upper: '\\p{Lu}',
  lower: '\\p{Ll}',
  space: '\\s',
  punct: '!-\\/:-@\\[-`\\{-~',
};

export interface GlobStyle {
  /** May `*` and `?` match a slash? */
  crossSlash: boolean;
  /** Are `**` and `{a,b}` special, as in .gitignore files and ripgrep? */
  extended: boolean;
  ignoreCase?: boolean;
}

function escaped(c: string): string {
  return /[\\^$.*+?()[\]{}|/]/.test(c) ? `\\${c}` : c;
}

/** The source of a RegExp that matches what the glob matches. */
function source(glob: string, style: GlobStyle): string {
  const one = style.crossSlash ? '[^]' : '[^/]';
  let text = '';
  let depth = 0;
  for (let i = 0; i < glob.length; ) {
    const c = String.fromCodePoint(glob.codePointAt(i) ?? 0);
    if (style.extended && glob.startsWith('**', i)) {
      const before = i === 0 || glob[i - 1] === '/';
      if (before && glob[i + 2] === '/') {
        text += '(?:[^]*\\/)?';
        i += 3;
        continue;
      }
      text += before && i + 2 === glob.length ? '[^]+' : `${one}*`;
      i += 2;
      continue;
    }
    const set = c === '[' ? bracket(glob, i) : null;
    if (set !== null) {
      text += style.crossSlash ? set.source : `(?!\\/)${set.source}`;
      i = set.next;
      continue;
    }
    i += c.length;
    if (c === '*') text += `${one}*`;
    else if (c === '?') text += one;
    else if (c === '\\' && i < glob.length) {
      const next = String.fromCodePoint(glob.codePointAt(i) ?? 0);
      text += escaped(next);
      i += next.length;
    } else if (style.extended && c === '{' && glob.includes('}', i)) {
      depth++;
      text += '(?:';
    } else if (depth > 0 && c === '}') {
      depth--;
      text += ')';
    } else if (depth > 0 && c === ',') text += '|';
    else text += escaped(c);
  }
  return text + ')'.repeat(depth);
}

/** A RegExp for a whole name or path. Runs of stars count once, so none can explode. */
export function globRegExp(glob: string, style: GlobStyle): RegExp {
  const tame = style.extended ? glob.replace(/\*{3,}/g, '**') : glob.replace(/\*{2,}/g, '*');
  const flags = style.ignoreCase ? 'iu' : 'u';
  try {
    return new RegExp(`^${source(tame, style)}$`, flags);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // A bracket expression that no set can be made of ([z-a]) matches nothing but itself.
    return new RegExp(`^${Array.from(glob, escaped).join('')}$`, flags);
  }
}
