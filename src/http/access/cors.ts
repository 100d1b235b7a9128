/** Headers that let web pages of other origins read answers. */

/** What every answer says, errors too, unless `cors` is off. Page 06 §2.2, page 07 §3.4. */
export const ANY_ORIGIN = "access-control-allow-origin";

/** The header that lets web pages read `X-Total` of answers of the index. Page 07 §3.4. */
export const EXPOSED_HEADERS = { "access-control-expose-headers": "X-Total" } as const;
