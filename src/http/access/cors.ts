/** Header of all answers, unless CORS is off. Page 06 §2.2, page 07 §3.4. */
export const ALLOW_ORIGIN_HEADER = "access-control-allow-origin";

/** Lets web pages read `X-Total` in answers of the index. */
export const EXPOSED_HEADERS = { "access-control-expose-headers": "X-Total" } as const;

/** Position of the chain that an answer shows. Web pages may read it. */
export const POSITION_HEADER = "x-chain";
