/** Sent with every answer, failures too, unless `cors` is off. Page 06 §2.2, page 07 §3.4. */
export const ANY_ORIGIN = "access-control-allow-origin";

/** Lets web pages read `X-Total` of the index. Page 07 §3.4. */
export const EXPOSED_HEADERS = { "access-control-expose-headers": "X-Total" } as const;
