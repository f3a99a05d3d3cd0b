/**
 * The name and password in a pack's address, kept out of git's arguments and of the checkout's configuration
 * (docs/spec/packs.md section 6): every user of the machine reads the one in `ps`, and whoever may read the cache the other.
 */

/** An address for git, and how git gets at what was in it. */
export interface Handover {
  url: string;
  config: Record<string, string>;
  env: Record<string, string>;
}

/**
 * What git calls to be told the name and password, with the words in the environment, which only this user can read.
 * It answers `get` alone: the user's own helpers are left out, so none of them stores what the config file holds.
 */
const HELPER = `!f() { test "$1" = get && printf 'username=%s\\npassword=%s\\n' "$JIG_PACK_USERNAME" "$JIG_PACK_PASSWORD"; }; f`;

const ADDRESS = /^([a-z]+:\/\/)([^/?#]*)@([^/?#@]*)(.*)$/s;

/** Take name and password out of an HTTP address; other addresses are as they were. */
export function handOver(url: string): Handover {
  const match = ADDRESS.exec(url);
  if (match === null || !/^https?:/.test(url)) return { url, config: {}, env: {} };
  const [, scheme = "", user = "", authority = "", rest = ""] = match;
  const server = `${scheme}${authority}`;
  const colon = user.indexOf(":");
  const bare = `${server}${rest}`;
  // A name alone is no secret to git: the password comes from the user's own helper.
  if (colon < 0) return { url: bare, config: { [`credential.${server}.username`]: decoded(user) }, env: {} };
  return {
    url: bare,
    config: {
      "credential.helper": "",
      [`credential.${server}.helper`]: HELPER,
      // Where git knows it, the first request carries them already, as an address with both does.
      "http.proactiveAuth": "basic",
    },
    env: {
      JIG_PACK_USERNAME: decoded(user.slice(0, colon)),
      JIG_PACK_PASSWORD: decoded(user.slice(colon + 1)),
    },
  };
}

/** Why the name and password of an address cannot be handed to git; undefined when they can, or there are none. */
export function credentialProblem(url: string): string | undefined {
  const [, scheme = "", user = ""] = ADDRESS.exec(url) ?? [];
  if (scheme === "" || scheme === "file://" || !user.includes(":")) return undefined;
  if (!/^https?:/.test(scheme)) return `${scheme} takes no password -- remove it and use a key`;
  return /[\n\r\0]/.test(decoded(user)) ? "its password has a line break in it" : undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // A percent sign of its own.
  }
}
