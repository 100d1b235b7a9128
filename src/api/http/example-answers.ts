// biome-ignore-all format: made by test/openapi.test.ts, as large as it must be
/**
 * What a node of the network `dev` answered, for the description. After a change of routes run
 * `npx vitest run test/openapi.test.ts --update`.
 */
import type { Examples } from "./openapi-examples.ts";

/** By route and status. */
export const exampleAnswers: Examples = {
  "GET /blocks/height": {
    200: {"height":5},
  },
  "GET /blocks/height/:signature": {
    200: {"height":1},
    400: {"error":101,"message":"invalid signature"},
    404: {"error":301,"message":"block does not exist"},
  },
  "GET /blocks/last": {
    200: {"version":4,"timestamp":1767225621496,"reference":"3Es9AaDeHeR7dv4bQTRw5ZfqRpmqJKeo3aubx6c8oJNrhWgTz4s1ot76mxGTZfhzYu83Anxty8ZrvpRo9rFJq4PA","nxt-consensus":{"base-target":883751,"generation-signature":"FTMn4KarjGJ95WpWjNUEJSsBF6D9HtahR2nKaL9MgCU4"},"features":[],"feeVote":0,"generator":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","signature":"3v51jFkjXbaZ6FVDua2ywQ3rjVzCL1RsKRw9dEzTPDcVLd5QUA14smQbckYDGZ97BR9PsHVg9pvZNHvznMXEVjji","blocksize":226,"transactionCount":0,"transactions":[],"fee":0,"burnedFees":0,"miningReward":275000000,"generatorReward":440000000,"height":5,"nxtconsensus":{"basetarget":883751,"generationsignature":"FTMn4KarjGJ95WpWjNUEJSsBF6D9HtahR2nKaL9MgCU4"}},
  },
  "GET /blocks/first": {
    200: {"version":1,"timestamp":1735689600000,"reference":"67rpwLCuS5DGA8KGZXKsVQ7dnPb9goRLoKfgGbLfQg9WoLUgNY77E2jT11fem3coV9nAkguBACzrU1iyZM4B8roQ","nxt-consensus":{"base-target":875001,"generation-signature":"11111111111111111111111111111111"},"feeVote":0,"generator":"3QN9HvBbNgxmeNURFVzjwXFrms7cKX4eAw4","signature":"53KvG3HPs4adaf5uurmqxiUr6TqWsm7hyumxXZHC55ocqmBgn36QTSBiVtmQCWrW9BSvWHRFxkBhajdJbq2PnhQn","blocksize":265,"transactionCount":1,"transactions":[{"type":1,"version":1,"id":"36XcvCstxiEgLAWXcDQEziUrSapjD3r1QESJYqVRHVJamdSxHTadmghw6haTvb3eYCfkX1PDdGaahYFZC6XHZW6K","fee":0,"timestamp":1735689600000,"signature":"36XcvCstxiEgLAWXcDQEziUrSapjD3r1QESJYqVRHVJamdSxHTadmghw6haTvb3eYCfkX1PDdGaahYFZC6XHZW6K","recipient":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","amount":100000000000000,"effectiveFee":0}],"fee":0,"burnedFees":0,"miningReward":0,"generatorReward":0,"height":1,"nxtconsensus":{"basetarget":875001,"generationsignature":"11111111111111111111111111111111"}},
  },
  "GET /blocks/at/:height": {
    200: {"version":1,"timestamp":1735689600000,"reference":"67rpwLCuS5DGA8KGZXKsVQ7dnPb9goRLoKfgGbLfQg9WoLUgNY77E2jT11fem3coV9nAkguBACzrU1iyZM4B8roQ","nxt-consensus":{"base-target":875001,"generation-signature":"11111111111111111111111111111111"},"feeVote":0,"generator":"3QN9HvBbNgxmeNURFVzjwXFrms7cKX4eAw4","signature":"53KvG3HPs4adaf5uurmqxiUr6TqWsm7hyumxXZHC55ocqmBgn36QTSBiVtmQCWrW9BSvWHRFxkBhajdJbq2PnhQn","blocksize":265,"transactionCount":1,"transactions":[{"type":1,"version":1,"id":"36XcvCstxiEgLAWXcDQEziUrSapjD3r1QESJYqVRHVJamdSxHTadmghw6haTvb3eYCfkX1PDdGaahYFZC6XHZW6K","fee":0,"timestamp":1735689600000,"signature":"36XcvCstxiEgLAWXcDQEziUrSapjD3r1QESJYqVRHVJamdSxHTadmghw6haTvb3eYCfkX1PDdGaahYFZC6XHZW6K","recipient":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","amount":100000000000000,"effectiveFee":0}],"fee":0,"burnedFees":0,"miningReward":0,"generatorReward":0,"height":1,"nxtconsensus":{"basetarget":875001,"generationsignature":"11111111111111111111111111111111"}},
    404: {"error":404,"message":"not found"},
  },
  "GET /blocks/seq/:from/:to": {
    200: [{"version":1,"timestamp":1735689600000,"reference":"67rpwLCuS5DGA8KGZXKsVQ7dnPb9goRLoKfgGbLfQg9WoLUgNY77E2jT11fem3coV9nAkguBACzrU1iyZM4B8roQ","nxt-consensus":{"base-target":875001,"generation-signature":"11111111111111111111111111111111"},"feeVote":0,"generator":"3QN9HvBbNgxmeNURFVzjwXFrms7cKX4eAw4","signature":"53KvG3HPs4adaf5uurmqxiUr6TqWsm7hyumxXZHC55ocqmBgn36QTSBiVtmQCWrW9BSvWHRFxkBhajdJbq2PnhQn","blocksize":265,"transactionCount":1,"transactions":[{"type":1,"version":1,"id":"36XcvCstxiEgLAWXcDQEziUrSapjD3r1QESJYqVRHVJamdSxHTadmghw6haTvb3eYCfkX1PDdGaahYFZC6XHZW6K","fee":0,"timestamp":1735689600000,"signature":"36XcvCstxiEgLAWXcDQEziUrSapjD3r1QESJYqVRHVJamdSxHTadmghw6haTvb3eYCfkX1PDdGaahYFZC6XHZW6K","recipient":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","amount":100000000000000,"effectiveFee":0}],"fee":0,"burnedFees":0,"miningReward":0,"generatorReward":0,"height":1,"nxtconsensus":{"basetarget":875001,"generationsignature":"11111111111111111111111111111111"}}],
    400: {"error":10,"message":"Too big sequences requested"},
  },
  "GET /blocks/address/:address/:from/:to": {
    200: [{"version":4,"timestamp":1767225601000,"reference":"53KvG3HPs4adaf5uurmqxiUr6TqWsm7hyumxXZHC55ocqmBgn36QTSBiVtmQCWrW9BSvWHRFxkBhajdJbq2PnhQn","nxt-consensus":{"base-target":875001,"generation-signature":"ruzm2v4GAM9KazDs7TpoUnH7F4G9May2gaNeuqhR7yM"},"features":[],"feeVote":0,"generator":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","signature":"4sBYNLJYuTpYHYEWrenAeH7PrjtrcYBs6aBmTgthPyr7yAFmk4XRZjozZMRPT34MpLncuQjocw5Mwx9kN2jkBvQV","blocksize":1203,"transactionCount":6,"transactions":[{"type":4,"version":3,"id":"EdsgSeH6VpCihK8gPP9hQPP8xW5p1L3eFPpaPuzRPLap","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225606000,"recipient":"3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE","amount":10000000000,"attachment":"","proofs":["4W8JY9fAR4xDt37SD64ki9CXsRisuzKSpN9Vi4hhyM9VkE7AenCtnnJsngqSrSPK4uAuxyanDSSFwcHVxE83wb3V"],"effectiveFee":100000000},{"type":12,"version":3,"id":"Esqm9J8wYFkJdzwqdU1WA3ibNDcusMzde1sCDWF2Gh7m","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225606001,"data":[{"key":"colour","type":"string","value":"green"}],"proofs":["5UZXQYEbcGqHiq9f46JcEMV5ZQRRBjw4SuRkAsFgogbohuLpFraKHXVRnpocXQjZmRBUjtcDBP8BkcjfrP8rXmy5"],"effectiveFee":60000000},{"type":8,"version":3,"id":"2ceXne1Ha9abquYRgfpAhYL2v39LhYcumYzyNvNZCYit","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225606002,"recipient":"3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE","amount":1000000000,"proofs":["4roVyjePhnA7p5CZXP3WBBKr4KcBUttjj7PHQF3bsAEe7adFNwisPMj4c9WofjnCnxJsbxwjvSXfS5W3ts4gYwUd"],"effectiveFee":100000000},{"type":16,"version":4,"id":"3nYgcGFZw7GtgEntrasmebqPtkp7tNQizXstWjSzfD4K","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225606003,"associationType":1,"recipient":"3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE","proofs":["4ZRQfUB1au6A1oMjz1GVLtwCiJ2mrnWxVicpnAHryrHRCaSmmJiMR5xfmQPVhBuWpevji1V7BEJMBbk4Hr319P6E"],"effectiveFee":50000000},{"type":23,"version":3,"id":"Fe2yJxZhYJKYos35Ts15f1HyHrFo9JdPGwvHdown3duC","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225606004,"statementType":16,"proofs":["44pr9APxM72eHjQDpwrkLvrVcBt3GFM4Wk33F2VYg5U3jHZdCdf8U7ocjJ6JwHCFVLPCyn4nDRkDHgsWbtp91ze1"],"subject":"4aJ7NPsNqcEGJbfBZVxrsdFrLnVbR41Fv4k4CCEMpT1W","effectiveFee":50000000},{"type":15,"version":3,"id":"3YagAgJD81n3jbUH4ETJaVQayWrK1bEhBRym9WuBMSuF","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225606005,"anchors":["4deqMFcPkNR3Bv9gR5KL2WvDA5DYYjFHcRdgCyMFKWGk"],"proofs":["2oRZ8bwjN6vq81XwPMJCDUG3i6U9KYJA67u3zxVPSftyRXDGVZFyLDHs9gyw1sn167J1M85HtgvSosGm3iksvzoP"],"effectiveFee":35000000}],"fee":395000000,"burnedFees":197500000,"miningReward":0,"generatorReward":79000000,"height":2,"nxtconsensus":{"basetarget":875001,"generationsignature":"ruzm2v4GAM9KazDs7TpoUnH7F4G9May2gaNeuqhR7yM"}},{"version":4,"timestamp":1767225607855,"reference":"4sBYNLJYuTpYHYEWrenAeH7PrjtrcYBs6aBmTgthPyr7yAFmk4XRZjozZMRPT34MpLncuQjocw5Mwx9kN2jkBvQV","nxt-consensus":{"base-target":875001,"generation-signature":"8awrVzmTL6RCj6FYkX54yHn76QQRPMmkDcPTCi99qqNs"},"features":[],"feeVote":0,"generator":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","signature":"5DZ6unKSCZkEBcxxkt8YZusHPTYTq3YPareyFRzUzoHjqvKoso1M6MGBhBYPUKQH9JKJz185Daay3MXNyX8goNVu","blocksize":226,"transactionCount":0,"transactions":[],"fee":0,"burnedFees":0,"miningReward":197500000,"generatorReward":316000000,"height":3,"nxtconsensus":{"basetarget":875001,"generationsignature":"8awrVzmTL6RCj6FYkX54yHn76QQRPMmkDcPTCi99qqNs"}},{"version":4,"timestamp":1767225614013,"reference":"5DZ6unKSCZkEBcxxkt8YZusHPTYTq3YPareyFRzUzoHjqvKoso1M6MGBhBYPUKQH9JKJz185Daay3MXNyX8goNVu","nxt-consensus":{"base-target":883751,"generation-signature":"3Ezys3TL7kCRnz5XBzEoobGwj3Gw2xVVja1bRVX74x1v"},"features":[],"feeVote":0,"generator":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","signature":"3Es9AaDeHeR7dv4bQTRw5ZfqRpmqJKeo3aubx6c8oJNrhWgTz4s1ot76mxGTZfhzYu83Anxty8ZrvpRo9rFJq4PA","blocksize":519,"transactionCount":2,"transactions":[{"type":18,"version":3,"id":"FkP2JBEoxXm3cBpNCN9g3oAB29zQmPaqLQfkJQyJHuFi","sender":"3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE","senderKeyType":"ed25519","senderPublicKey":"ChuzJHkbyhFP3so9NMDivS26x53BGkPJKGhbYLr3D55T","fee":500000000,"timestamp":1767225618001,"recipient":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","proofs":["DnrgKGnzErCPh5wnDYz94kUBUDLCgBgvuMUVxLCNhrTtAvdVpxF7i2byWsENC95V5ah6qpHWwT3aVYsysvW42m6"],"effectiveFee":500000000},{"type":23,"version":3,"id":"6xqpbf4C5yidWjRrvUDRumUW6jESLhz33wUUGtemEfZZ","sender":"3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE","senderKeyType":"ed25519","senderPublicKey":"ChuzJHkbyhFP3so9NMDivS26x53BGkPJKGhbYLr3D55T","fee":100000000,"timestamp":1767225618000,"statementType":288,"proofs":["499oeRTc31Bun121A4scggQ6FWJkx9aiVnm1bnmbUzBUkvKqXJsmqnkYLi39DFoTzk9eQdHKGujTxHQwUGbRXoyi"],"effectiveFee":50000000}],"fee":550000000,"burnedFees":275000000,"miningReward":0,"generatorReward":110000000,"height":4,"nxtconsensus":{"basetarget":883751,"generationsignature":"3Ezys3TL7kCRnz5XBzEoobGwj3Gw2xVVja1bRVX74x1v"}},{"version":4,"timestamp":1767225621496,"reference":"3Es9AaDeHeR7dv4bQTRw5ZfqRpmqJKeo3aubx6c8oJNrhWgTz4s1ot76mxGTZfhzYu83Anxty8ZrvpRo9rFJq4PA","nxt-consensus":{"base-target":883751,"generation-signature":"FTMn4KarjGJ95WpWjNUEJSsBF6D9HtahR2nKaL9MgCU4"},"features":[],"feeVote":0,"generator":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","signature":"3v51jFkjXbaZ6FVDua2ywQ3rjVzCL1RsKRw9dEzTPDcVLd5QUA14smQbckYDGZ97BR9PsHVg9pvZNHvznMXEVjji","blocksize":226,"transactionCount":0,"transactions":[],"fee":0,"burnedFees":0,"miningReward":275000000,"generatorReward":440000000,"height":5,"nxtconsensus":{"basetarget":883751,"generationsignature":"FTMn4KarjGJ95WpWjNUEJSsBF6D9HtahR2nKaL9MgCU4"}}],
    400: {"error":10,"message":"Too big sequences requested"},
  },
  "GET /blocks/signature/:signature": {
    200: {"version":1,"timestamp":1735689600000,"reference":"67rpwLCuS5DGA8KGZXKsVQ7dnPb9goRLoKfgGbLfQg9WoLUgNY77E2jT11fem3coV9nAkguBACzrU1iyZM4B8roQ","nxt-consensus":{"base-target":875001,"generation-signature":"11111111111111111111111111111111"},"feeVote":0,"generator":"3QN9HvBbNgxmeNURFVzjwXFrms7cKX4eAw4","signature":"53KvG3HPs4adaf5uurmqxiUr6TqWsm7hyumxXZHC55ocqmBgn36QTSBiVtmQCWrW9BSvWHRFxkBhajdJbq2PnhQn","blocksize":265,"transactionCount":1,"transactions":[{"type":1,"version":1,"id":"36XcvCstxiEgLAWXcDQEziUrSapjD3r1QESJYqVRHVJamdSxHTadmghw6haTvb3eYCfkX1PDdGaahYFZC6XHZW6K","fee":0,"timestamp":1735689600000,"signature":"36XcvCstxiEgLAWXcDQEziUrSapjD3r1QESJYqVRHVJamdSxHTadmghw6haTvb3eYCfkX1PDdGaahYFZC6XHZW6K","recipient":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","amount":100000000000000,"effectiveFee":0}],"fee":0,"burnedFees":0,"miningReward":0,"generatorReward":0,"height":1,"nxtconsensus":{"basetarget":875001,"generationsignature":"11111111111111111111111111111111"}},
    400: {"error":101,"message":"invalid signature"},
    404: {"error":301,"message":"block does not exist"},
  },
  "GET /blocks/bytes/:signature": {
    400: {"error":101,"message":"invalid signature"},
    404: {"error":301,"message":"block does not exist"},
  },
  "GET /blocks/child/:signature": {
    200: {"version":4,"timestamp":1767225601000,"reference":"53KvG3HPs4adaf5uurmqxiUr6TqWsm7hyumxXZHC55ocqmBgn36QTSBiVtmQCWrW9BSvWHRFxkBhajdJbq2PnhQn","nxt-consensus":{"base-target":875001,"generation-signature":"ruzm2v4GAM9KazDs7TpoUnH7F4G9May2gaNeuqhR7yM"},"features":[],"feeVote":0,"generator":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","signature":"4sBYNLJYuTpYHYEWrenAeH7PrjtrcYBs6aBmTgthPyr7yAFmk4XRZjozZMRPT34MpLncuQjocw5Mwx9kN2jkBvQV","blocksize":1203,"transactionCount":6,"transactions":[{"type":4,"version":3,"id":"EdsgSeH6VpCihK8gPP9hQPP8xW5p1L3eFPpaPuzRPLap","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225606000,"recipient":"3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE","amount":10000000000,"attachment":"","proofs":["4W8JY9fAR4xDt37SD64ki9CXsRisuzKSpN9Vi4hhyM9VkE7AenCtnnJsngqSrSPK4uAuxyanDSSFwcHVxE83wb3V"]},{"type":12,"version":3,"id":"Esqm9J8wYFkJdzwqdU1WA3ibNDcusMzde1sCDWF2Gh7m","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225606001,"data":[{"key":"colour","type":"string","value":"green"}],"proofs":["5UZXQYEbcGqHiq9f46JcEMV5ZQRRBjw4SuRkAsFgogbohuLpFraKHXVRnpocXQjZmRBUjtcDBP8BkcjfrP8rXmy5"]},{"type":8,"version":3,"id":"2ceXne1Ha9abquYRgfpAhYL2v39LhYcumYzyNvNZCYit","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225606002,"recipient":"3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE","amount":1000000000,"proofs":["4roVyjePhnA7p5CZXP3WBBKr4KcBUttjj7PHQF3bsAEe7adFNwisPMj4c9WofjnCnxJsbxwjvSXfS5W3ts4gYwUd"]},{"type":16,"version":4,"id":"3nYgcGFZw7GtgEntrasmebqPtkp7tNQizXstWjSzfD4K","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225606003,"associationType":1,"recipient":"3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE","proofs":["4ZRQfUB1au6A1oMjz1GVLtwCiJ2mrnWxVicpnAHryrHRCaSmmJiMR5xfmQPVhBuWpevji1V7BEJMBbk4Hr319P6E"]},{"type":23,"version":3,"id":"Fe2yJxZhYJKYos35Ts15f1HyHrFo9JdPGwvHdown3duC","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225606004,"statementType":16,"proofs":["44pr9APxM72eHjQDpwrkLvrVcBt3GFM4Wk33F2VYg5U3jHZdCdf8U7ocjJ6JwHCFVLPCyn4nDRkDHgsWbtp91ze1"],"subject":"4aJ7NPsNqcEGJbfBZVxrsdFrLnVbR41Fv4k4CCEMpT1W"},{"type":15,"version":3,"id":"3YagAgJD81n3jbUH4ETJaVQayWrK1bEhBRym9WuBMSuF","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225606005,"anchors":["4deqMFcPkNR3Bv9gR5KL2WvDA5DYYjFHcRdgCyMFKWGk"],"proofs":["2oRZ8bwjN6vq81XwPMJCDUG3i6U9KYJA67u3zxVPSftyRXDGVZFyLDHs9gyw1sn167J1M85HtgvSosGm3iksvzoP"]}],"nxtconsensus":{"basetarget":875001,"generationsignature":"ruzm2v4GAM9KazDs7TpoUnH7F4G9May2gaNeuqhR7yM"}},
    400: {"error":101,"message":"invalid signature"},
    404: {"error":301,"message":"block does not exist"},
  },
  "GET /blocks/delay/:signature/:blockNum": {
    200: {"delay":7483},
    400: {"error":101,"message":"invalid signature"},
    404: {"error":301,"message":"block does not exist"},
    500: {"error":0,"message":"Error is unknown"},
  },
  "GET /blocks/headers/last": {
    200: {"version":4,"timestamp":1767225621496,"reference":"3Es9AaDeHeR7dv4bQTRw5ZfqRpmqJKeo3aubx6c8oJNrhWgTz4s1ot76mxGTZfhzYu83Anxty8ZrvpRo9rFJq4PA","nxt-consensus":{"base-target":883751,"generation-signature":"FTMn4KarjGJ95WpWjNUEJSsBF6D9HtahR2nKaL9MgCU4"},"features":[],"feeVote":0,"generator":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","signature":"3v51jFkjXbaZ6FVDua2ywQ3rjVzCL1RsKRw9dEzTPDcVLd5QUA14smQbckYDGZ97BR9PsHVg9pvZNHvznMXEVjji","blocksize":226,"transactionCount":0,"height":5,"nxtconsensus":{"basetarget":883751,"generationsignature":"FTMn4KarjGJ95WpWjNUEJSsBF6D9HtahR2nKaL9MgCU4"}},
  },
  "GET /blocks/headers/at/:height": {
    200: {"version":1,"timestamp":1735689600000,"reference":"67rpwLCuS5DGA8KGZXKsVQ7dnPb9goRLoKfgGbLfQg9WoLUgNY77E2jT11fem3coV9nAkguBACzrU1iyZM4B8roQ","nxt-consensus":{"base-target":875001,"generation-signature":"11111111111111111111111111111111"},"feeVote":0,"generator":"3QN9HvBbNgxmeNURFVzjwXFrms7cKX4eAw4","signature":"53KvG3HPs4adaf5uurmqxiUr6TqWsm7hyumxXZHC55ocqmBgn36QTSBiVtmQCWrW9BSvWHRFxkBhajdJbq2PnhQn","blocksize":265,"transactionCount":1,"height":1,"nxtconsensus":{"basetarget":875001,"generationsignature":"11111111111111111111111111111111"}},
    404: {"error":404,"message":"not found"},
  },
  "GET /blocks/headers/seq/:from/:to": {
    200: [{"version":1,"timestamp":1735689600000,"reference":"67rpwLCuS5DGA8KGZXKsVQ7dnPb9goRLoKfgGbLfQg9WoLUgNY77E2jT11fem3coV9nAkguBACzrU1iyZM4B8roQ","nxt-consensus":{"base-target":875001,"generation-signature":"11111111111111111111111111111111"},"feeVote":0,"generator":"3QN9HvBbNgxmeNURFVzjwXFrms7cKX4eAw4","signature":"53KvG3HPs4adaf5uurmqxiUr6TqWsm7hyumxXZHC55ocqmBgn36QTSBiVtmQCWrW9BSvWHRFxkBhajdJbq2PnhQn","blocksize":265,"transactionCount":1,"height":1,"nxtconsensus":{"basetarget":875001,"generationsignature":"11111111111111111111111111111111"}}],
    400: {"error":10,"message":"Too big sequences requested"},
  },
  "POST /blocks/checkpoint": {
    400: {"error":199,"message":"Invalid checkpoint signature"},
  },
  "POST /hash": {
    200: {"chainpoint":{"@context":"https://w3id.org/chainpoint/v2","type":"ChainpointSHA256v2","targetHash":"34b4a6b1ce9ced82394644fdb3136e531714a780170a3aaaf29d8ee39a17f127","anchors":[{"type":"LTODataTransaction","sourceId":"2VwqcHKCTv84fFQ3JFcCxdZV9i2JpCAw4KXWsqaaJXMX"}]}},
    400: "invalid body given",
    403: {"error":403,"message":"host is not a loopback name"},
  },
  "POST /hash/verify": {
    200: {"verified":false,"anchors":{"34b4a6b1ce9ced82394644fdb3136e531714a780170a3aaaf29d8ee39a17f127":null}},
    400: "invalid encoding given",
  },
  "GET /hash/:hash": {
    200: {"chainpoint":{"@context":"https://w3id.org/chainpoint/v2","type":"ChainpointSHA256v2","targetHash":"34b4a6b1ce9ced82394644fdb3136e531714a780170a3aaaf29d8ee39a17f127","anchors":[{"type":"LTODataTransaction","sourceId":"2VwqcHKCTv84fFQ3JFcCxdZV9i2JpCAw4KXWsqaaJXMX"}]}},
    404: {"chainpoint":null},
  },
  "GET /hash/:hash/encoding/:encoding": {
    200: {"chainpoint":{"@context":"https://w3id.org/chainpoint/v2","type":"ChainpointSHA256v2","targetHash":"34b4a6b1ce9ced82394644fdb3136e531714a780170a3aaaf29d8ee39a17f127","anchors":[{"type":"LTODataTransaction","sourceId":"2VwqcHKCTv84fFQ3JFcCxdZV9i2JpCAw4KXWsqaaJXMX"}]}},
    400: "invalid encoding given",
    404: {"chainpoint":null},
  },
  "GET /hash/:hash/status": {
    200: {"hash":"34b4a6b1ce9ced82394644fdb3136e531714a780170a3aaaf29d8ee39a17f127","status":"unconfirmed","transaction":"2VwqcHKCTv84fFQ3JFcCxdZV9i2JpCAw4KXWsqaaJXMX"},
    400: "invalid hash given",
    404: {"hash":"11111111111111111111111111111111","status":"unknown"},
  },
  "GET /anchors/queue": {
    200: {"mode":"off","waiting":0,"limit":0,"sentCount":0,"sent":[],"problem":null},
  },
  "GET /identities/:address": {
    200: {"@context":["https://www.w3.org/ns/did/v1","https://w3id.org/security/suites/ed25519-2020/v1","https://w3id.org/security/suites/secp256k1-2019/v1"],"id":"did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","verificationMethod":[{"id":"did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt#sign","type":"Ed25519VerificationKey2020","controller":"did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","publicKeyMultibase":"zHR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ"}],"authentication":["did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt#sign"],"assertionMethod":["did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt#sign"],"keyAgreement":[{"id":"did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt#encrypt","type":"X25519KeyAgreementKey2019","controller":"did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","publicKeyMultibase":"zH2LK6v8DpmbUyxhJGKJwhvq5cshyesyvCCHYNDN3HLZ7"}],"capabilityInvocation":["did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt#sign"],"capabilityDelegation":["did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt#sign"],"service":[]},
    400: {"error":"invalidDidUrl"},
    404: {"error":"notFound"},
    406: {"didDocument":null,"didResolutionMetadata":{"error":"representationNotSupported","problemDetails":{"type":"https://www.w3.org/ns/did#REPRESENTATION_NOT_SUPPORTED","title":"Representation not supported","detail":"only application/did, application/did-resolution, application/did-url-dereferencing are made here"}},"didDocumentMetadata":{}},
    410: {"didDocument":null,"didResolutionMetadata":{},"didDocumentMetadata":{"created":"2026-01-01T00:00:18Z","deactivated":true,"versionId":"1767225618001"}},
    501: {"didDocument":null,"didResolutionMetadata":{"error":"methodNotSupported","problemDetails":{"type":"https://www.w3.org/ns/did#METHOD_NOT_SUPPORTED","title":"Method not supported","detail":"this node knows DIDs of the method lto"}},"didDocumentMetadata":{}},
  },
  "GET /identities/:address/derived/:secret": {
    200: {"@context":["https://www.w3.org/ns/did/v1","https://w3id.org/security/suites/ed25519-2020/v1","https://w3id.org/security/suites/secp256k1-2019/v1"],"id":"did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt:derived:2ecUjVz","alsoKnownAs":["did:lto:3QXFkgzvEwEW8fuEPQg4SrYLZpSTLA878rf"],"verificationMethod":[{"id":"did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt#sign","type":"Ed25519VerificationKey2020","controller":"did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","publicKeyMultibase":"zHR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ"}],"authentication":["did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt#sign"],"assertionMethod":["did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt#sign"],"keyAgreement":[{"id":"did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt#encrypt","type":"X25519KeyAgreementKey2019","controller":"did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","publicKeyMultibase":"zH2LK6v8DpmbUyxhJGKJwhvq5cshyesyvCCHYNDN3HLZ7"}],"capabilityInvocation":["did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt#sign"],"capabilityDelegation":["did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt#sign"],"service":[]},
    400: {"error":"invalid-secret"},
    404: {"error":"notFound"},
    406: {"didDocument":null,"didResolutionMetadata":{"error":"representationNotSupported","problemDetails":{"type":"https://www.w3.org/ns/did#REPRESENTATION_NOT_SUPPORTED","title":"Representation not supported","detail":"only application/did, application/did-resolution, application/did-url-dereferencing are made here"}},"didDocumentMetadata":{}},
    410: {"didDocument":null,"didResolutionMetadata":{},"didDocumentMetadata":{"created":"2026-01-01T00:00:18Z","deactivated":true,"versionId":"1767225618001"}},
    501: {"didDocument":null,"didResolutionMetadata":{"error":"methodNotSupported","problemDetails":{"type":"https://www.w3.org/ns/did#METHOD_NOT_SUPPORTED","title":"Method not supported","detail":"this node knows DIDs of the method lto"}},"didDocumentMetadata":{}},
  },
  "GET /identifiers/:did": {
    200: {"@context":["https://www.w3.org/ns/did/v1","https://w3id.org/security/suites/ed25519-2020/v1","https://w3id.org/security/suites/secp256k1-2019/v1"],"id":"did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","verificationMethod":[{"id":"did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt#sign","type":"Ed25519VerificationKey2020","controller":"did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","publicKeyMultibase":"zHR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ"}],"authentication":["did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt#sign"],"assertionMethod":["did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt#sign"],"keyAgreement":[{"id":"did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt#encrypt","type":"X25519KeyAgreementKey2019","controller":"did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","publicKeyMultibase":"zH2LK6v8DpmbUyxhJGKJwhvq5cshyesyvCCHYNDN3HLZ7"}],"capabilityInvocation":["did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt#sign"],"capabilityDelegation":["did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt#sign"],"service":[]},
    400: {"error":"invalidDidUrl"},
    404: {"error":"notFound"},
    406: {"didDocument":null,"didResolutionMetadata":{"error":"representationNotSupported","problemDetails":{"type":"https://www.w3.org/ns/did#REPRESENTATION_NOT_SUPPORTED","title":"Representation not supported","detail":"only application/did, application/did-resolution, application/did-url-dereferencing are made here"}},"didDocumentMetadata":{}},
    410: {"didDocument":null,"didResolutionMetadata":{},"didDocumentMetadata":{"created":"2026-01-01T00:00:18Z","deactivated":true,"versionId":"1767225618001"}},
    501: {"didDocument":null,"didResolutionMetadata":{"error":"methodNotSupported","problemDetails":{"type":"https://www.w3.org/ns/did#METHOD_NOT_SUPPORTED","title":"Method not supported","detail":"this node knows DIDs of the method lto"}},"didDocumentMetadata":{}},
  },
  "GET /1.0/identifiers/:did": {
    200: {"didDocument":{"@context":["https://www.w3.org/ns/did/v1","https://w3id.org/security/multikey/v1"],"id":"did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","verificationMethod":[{"id":"did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt#sign","type":"Multikey","controller":"did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","publicKeyMultibase":"z6MkvsL9ZqyxSQomjYoWHt4bKUhfh5ozHdXE7xkzsfJmo8Ug"}],"authentication":["did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt#sign"],"assertionMethod":["did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt#sign"],"keyAgreement":[{"id":"did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt#encrypt","type":"Multikey","controller":"did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","publicKeyMultibase":"z6LSshWUdDw5vEKE5M54nxpu2X3ZU2F6MVA55B1Drg1ZziKs"}],"capabilityInvocation":["did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt#sign"],"capabilityDelegation":["did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt#sign"]},"didResolutionMetadata":{"contentType":"application/did"},"didDocumentMetadata":{"created":"2026-01-01T00:00:06Z","deactivated":false,"versionId":"1767225606000"}},
    400: {"didDocument":null,"didResolutionMetadata":{"error":"invalidDid","problemDetails":{"type":"https://www.w3.org/ns/did#INVALID_DID","title":"Invalid DID","detail":"the DID has no valid address"}},"didDocumentMetadata":{}},
    404: {"didDocument":null,"didResolutionMetadata":{"error":"notFound","problemDetails":{"type":"https://www.w3.org/ns/did#NOT_FOUND","title":"Not found","detail":"the chain knows no key of this DID"}},"didDocumentMetadata":{}},
    406: {"didDocument":null,"didResolutionMetadata":{"error":"representationNotSupported","problemDetails":{"type":"https://www.w3.org/ns/did#REPRESENTATION_NOT_SUPPORTED","title":"Representation not supported","detail":"only application/did, application/did-resolution, application/did-url-dereferencing are made here"}},"didDocumentMetadata":{}},
    410: {"didDocument":null,"didResolutionMetadata":{},"didDocumentMetadata":{"created":"2026-01-01T00:00:18Z","deactivated":true,"versionId":"1767225618001"}},
    501: {"didDocument":null,"didResolutionMetadata":{"error":"methodNotSupported","problemDetails":{"type":"https://www.w3.org/ns/did#METHOD_NOT_SUPPORTED","title":"Method not supported","detail":"this node knows DIDs of the method lto"}},"didDocumentMetadata":{}},
  },
  "GET /trust/:address": {
    200: {"roles":["root"],"issues_roles":[],"issues_authorization":[]},
    400: {"error":"invalid address"},
  },
  "GET /credential-status/:id": {
    200: {"id":"4aJ7NPsNqcEGJbfBZVxrsdFrLnVbR41Fv4k4CCEMpT1W","issuer":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","statements":[{"type":"issue","timestamp":"2026-01-01T00:00:06Z","signer":{"id":"did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt#sign","type":"Ed25519VerificationKey2020","publicKeyMultibase":"zHR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ"}}],"issued":"2026-01-01T00:00:06Z"},
    400: {"error":"limit: must be a whole number, at most 1000"},
  },
  "GET /addresses": {
    308: "The request, and all future requests should be repeated using <a href=\"/wallet/addresses\">this URI</a>.",
  },
  "GET /addresses/validate/:address": {
    200: {"address":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","valid":true},
  },
  "GET /addresses/balance/:address": {
    200: {"address":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","confirmations":0,"balance":99990550000000},
    400: {"error":102,"message":"invalid address"},
  },
  "GET /addresses/balance/:address/:confirmations": {
    200: {"address":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","confirmations":1,"balance":99990550000000},
    400: {"error":102,"message":"invalid address"},
  },
  "GET /addresses/balance/details/:address": {
    200: {"address":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","regular":99990550000000,"available":99989550000000,"leasing":1000000000,"unbonding":0,"effective":99989550000000,"generating":99988684000000},
    400: {"error":102,"message":"invalid address"},
  },
  "GET /addresses/balance/history/:address": {
    200: [{"height":4,"balance":99990110000000},{"height":3,"balance":99990000000000},{"height":2,"balance":99989684000000},{"height":1,"balance":100000000000000}],
    400: {"error":102,"message":"invalid address"},
  },
  "GET /addresses/effectiveBalance/:address": {
    200: {"address":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","confirmations":0,"balance":99989550000000},
    400: {"error":102,"message":"invalid address"},
  },
  "GET /addresses/effectiveBalance/:address/:confirmations": {
    200: {"address":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","confirmations":1,"balance":99989550000000},
    400: {"error":102,"message":"invalid address"},
  },
  "GET /addresses/publicKey/:publicKey": {
    200: {"address":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt"},
    400: {"error":108,"message":"invalid public key"},
  },
  "GET /addresses/scriptInfo/:address": {
    200: {"address":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","complexity":0,"extraFee":0},
    400: {"error":102,"message":"invalid address"},
  },
  "GET /addresses/data/:address": {
    200: [{"key":"colour","type":"string","value":"green"}],
    400: {"error":102,"message":"invalid address"},
  },
  "GET /addresses/data/:address/:key": {
    200: {"key":"colour","type":"string","value":"green"},
    400: {"error":102,"message":"invalid address"},
    404: {"error":304,"message":"no data for this key"},
  },
  "POST /addresses/verify/:address": {
    200: {"valid":true},
    400: {"error":102,"message":"invalid address"},
  },
  "POST /addresses/verifyText/:address": {
    200: {"valid":true},
    400: {"error":102,"message":"invalid address"},
  },
  "GET /leasing/active/:address": {
    200: [{"type":8,"version":3,"id":"2ceXne1Ha9abquYRgfpAhYL2v39LhYcumYzyNvNZCYit","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225606002,"recipient":"3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE","amount":1000000000,"proofs":["4roVyjePhnA7p5CZXP3WBBKr4KcBUttjj7PHQF3bsAEe7adFNwisPMj4c9WofjnCnxJsbxwjvSXfS5W3ts4gYwUd"],"height":2}],
    400: {"error":102,"message":"invalid address"},
  },
  "POST /leasing/lease": {
    200: {"type":8,"version":1,"id":"J5bZY8XrL9WDMeXyy9B8B3YkdCKidLk8siNwuXsjpkvB","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225624002,"recipient":"3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE","amount":500000000,"signature":"3MDNfU1vaHesm2v67zzcQPHSMAWoMpz2NHQxLzH5WAJp1j9Q5rXmeVyoUBRb9ePSHXiT1kpeEppgfQoaVuHBaHm8"},
    400: {"error":1,"message":"failed to parse json message","cause":"the request has no body","validationErrors":{}},
  },
  "POST /leasing/cancel": {
    200: {"type":9,"version":1,"id":"5ZDg1yDiVyEPb88hXWzSstF3SJR6YPZEa4rRiHCgxcWf","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225624003,"leaseId":"2ceXne1Ha9abquYRgfpAhYL2v39LhYcumYzyNvNZCYit","signature":"2V4yepoPVJCjTnThyTEAFMdCnhEKXsS52TLHVB7cVZixCbmZpsU6A6gYs8C6fbQQvCnU82gJf8GajJgo5yVy6y72"},
    400: {"error":1,"message":"failed to parse json message","cause":"the request has no body","validationErrors":{}},
  },
  "GET /wallet/addresses": {
    200: ["3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE","3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt"],
  },
  "GET /wallet/addresses/seq/:from/:to": {
    200: ["3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE"],
    400: {"error":10,"message":"Too big sequences requested"},
  },
  "POST /wallet/addresses": {
    200: {"address":"3QGjFpQXmZ6dNS38icfZkMngtApxfBzaqn7"},
  },
  "DELETE /wallet/addresses/:address": {
    200: {"deleted":true},
    400: {"error":102,"message":"invalid address"},
  },
  "POST /wallet/sign/:address": {
    200: {"message":"Cn8eVZg","publicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","signature":"3zUK2ReQcpiHbHY5W9SPHK8VrfeV12X4x7ApV3gjUGLHRSrR6NAxRT6umKtzKvyUrkHTv3xtoTzQiTjjNwGADYkU"},
    400: {"error":102,"message":"invalid address"},
  },
  "POST /wallet/signText/:address": {
    200: {"message":"hello","publicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","signature":"3zUK2ReQcpiHbHY5W9SPHK8VrfeV12X4x7ApV3gjUGLHRSrR6NAxRT6umKtzKvyUrkHTv3xtoTzQiTjjNwGADYkU"},
    400: {"error":102,"message":"invalid address"},
  },
  "GET /transactions/address/:address": {
    200: [[{"type":4,"version":3,"id":"EdsgSeH6VpCihK8gPP9hQPP8xW5p1L3eFPpaPuzRPLap","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225606000,"recipient":"3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE","amount":10000000000,"attachment":"","proofs":["4W8JY9fAR4xDt37SD64ki9CXsRisuzKSpN9Vi4hhyM9VkE7AenCtnnJsngqSrSPK4uAuxyanDSSFwcHVxE83wb3V"],"height":2,"blockSignature":"4sBYNLJYuTpYHYEWrenAeH7PrjtrcYBs6aBmTgthPyr7yAFmk4XRZjozZMRPT34MpLncuQjocw5Mwx9kN2jkBvQV","effectiveFee":100000000}]],
    400: {"error":102,"message":"invalid address"},
  },
  "GET /transactions/address/:address/limit": {
    400: {"message":"invalid.limit"},
  },
  "GET /transactions/address/:address/limit/:limit": {
    308: "The request, and all future requests should be repeated using <a href=\"/transactions/address/3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt?limit=10\">this URI</a>.",
    400: {"error":102,"message":"invalid address"},
  },
  "GET /transactions/addresses/:address": {
    200: [{"type":18,"version":3,"id":"FkP2JBEoxXm3cBpNCN9g3oAB29zQmPaqLQfkJQyJHuFi","sender":"3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE","senderKeyType":"ed25519","senderPublicKey":"ChuzJHkbyhFP3so9NMDivS26x53BGkPJKGhbYLr3D55T","fee":500000000,"timestamp":1767225618001,"recipient":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","proofs":["DnrgKGnzErCPh5wnDYz94kUBUDLCgBgvuMUVxLCNhrTtAvdVpxF7i2byWsENC95V5ah6qpHWwT3aVYsysvW42m6"],"height":4,"blockSignature":"3Es9AaDeHeR7dv4bQTRw5ZfqRpmqJKeo3aubx6c8oJNrhWgTz4s1ot76mxGTZfhzYu83Anxty8ZrvpRo9rFJq4PA","effectiveFee":500000000},{"type":15,"version":3,"id":"3YagAgJD81n3jbUH4ETJaVQayWrK1bEhBRym9WuBMSuF","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225606005,"anchors":["4deqMFcPkNR3Bv9gR5KL2WvDA5DYYjFHcRdgCyMFKWGk"],"proofs":["2oRZ8bwjN6vq81XwPMJCDUG3i6U9KYJA67u3zxVPSftyRXDGVZFyLDHs9gyw1sn167J1M85HtgvSosGm3iksvzoP"],"height":2,"blockSignature":"4sBYNLJYuTpYHYEWrenAeH7PrjtrcYBs6aBmTgthPyr7yAFmk4XRZjozZMRPT34MpLncuQjocw5Mwx9kN2jkBvQV","effectiveFee":35000000},{"type":23,"version":3,"id":"Fe2yJxZhYJKYos35Ts15f1HyHrFo9JdPGwvHdown3duC","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225606004,"statementType":16,"proofs":["44pr9APxM72eHjQDpwrkLvrVcBt3GFM4Wk33F2VYg5U3jHZdCdf8U7ocjJ6JwHCFVLPCyn4nDRkDHgsWbtp91ze1"],"subject":"4aJ7NPsNqcEGJbfBZVxrsdFrLnVbR41Fv4k4CCEMpT1W","height":2,"blockSignature":"4sBYNLJYuTpYHYEWrenAeH7PrjtrcYBs6aBmTgthPyr7yAFmk4XRZjozZMRPT34MpLncuQjocw5Mwx9kN2jkBvQV","effectiveFee":50000000},{"type":16,"version":4,"id":"3nYgcGFZw7GtgEntrasmebqPtkp7tNQizXstWjSzfD4K","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225606003,"associationType":1,"recipient":"3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE","proofs":["4ZRQfUB1au6A1oMjz1GVLtwCiJ2mrnWxVicpnAHryrHRCaSmmJiMR5xfmQPVhBuWpevji1V7BEJMBbk4Hr319P6E"],"height":2,"blockSignature":"4sBYNLJYuTpYHYEWrenAeH7PrjtrcYBs6aBmTgthPyr7yAFmk4XRZjozZMRPT34MpLncuQjocw5Mwx9kN2jkBvQV","effectiveFee":50000000},{"type":8,"version":3,"id":"2ceXne1Ha9abquYRgfpAhYL2v39LhYcumYzyNvNZCYit","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225606002,"recipient":"3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE","amount":1000000000,"proofs":["4roVyjePhnA7p5CZXP3WBBKr4KcBUttjj7PHQF3bsAEe7adFNwisPMj4c9WofjnCnxJsbxwjvSXfS5W3ts4gYwUd"],"status":"active","height":2,"blockSignature":"4sBYNLJYuTpYHYEWrenAeH7PrjtrcYBs6aBmTgthPyr7yAFmk4XRZjozZMRPT34MpLncuQjocw5Mwx9kN2jkBvQV","effectiveFee":100000000},{"type":12,"version":3,"id":"Esqm9J8wYFkJdzwqdU1WA3ibNDcusMzde1sCDWF2Gh7m","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225606001,"data":[{"key":"colour","type":"string","value":"green"}],"proofs":["5UZXQYEbcGqHiq9f46JcEMV5ZQRRBjw4SuRkAsFgogbohuLpFraKHXVRnpocXQjZmRBUjtcDBP8BkcjfrP8rXmy5"],"height":2,"blockSignature":"4sBYNLJYuTpYHYEWrenAeH7PrjtrcYBs6aBmTgthPyr7yAFmk4XRZjozZMRPT34MpLncuQjocw5Mwx9kN2jkBvQV","effectiveFee":60000000},{"type":4,"version":3,"id":"EdsgSeH6VpCihK8gPP9hQPP8xW5p1L3eFPpaPuzRPLap","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225606000,"recipient":"3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE","amount":10000000000,"attachment":"","proofs":["4W8JY9fAR4xDt37SD64ki9CXsRisuzKSpN9Vi4hhyM9VkE7AenCtnnJsngqSrSPK4uAuxyanDSSFwcHVxE83wb3V"],"height":2,"blockSignature":"4sBYNLJYuTpYHYEWrenAeH7PrjtrcYBs6aBmTgthPyr7yAFmk4XRZjozZMRPT34MpLncuQjocw5Mwx9kN2jkBvQV","effectiveFee":100000000},{"type":1,"version":1,"id":"36XcvCstxiEgLAWXcDQEziUrSapjD3r1QESJYqVRHVJamdSxHTadmghw6haTvb3eYCfkX1PDdGaahYFZC6XHZW6K","fee":0,"timestamp":1735689600000,"signature":"36XcvCstxiEgLAWXcDQEziUrSapjD3r1QESJYqVRHVJamdSxHTadmghw6haTvb3eYCfkX1PDdGaahYFZC6XHZW6K","recipient":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","amount":100000000000000,"height":1,"blockSignature":"53KvG3HPs4adaf5uurmqxiUr6TqWsm7hyumxXZHC55ocqmBgn36QTSBiVtmQCWrW9BSvWHRFxkBhajdJbq2PnhQn","effectiveFee":0}],
    400: "invalid type given",
  },
  "GET /transactions/info": {
    400: {"error":101,"message":"invalid signature"},
  },
  "GET /transactions/info/:id": {
    200: {"type":1,"version":1,"id":"36XcvCstxiEgLAWXcDQEziUrSapjD3r1QESJYqVRHVJamdSxHTadmghw6haTvb3eYCfkX1PDdGaahYFZC6XHZW6K","fee":0,"timestamp":1735689600000,"signature":"36XcvCstxiEgLAWXcDQEziUrSapjD3r1QESJYqVRHVJamdSxHTadmghw6haTvb3eYCfkX1PDdGaahYFZC6XHZW6K","recipient":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","amount":100000000000000,"height":1,"blockSignature":"53KvG3HPs4adaf5uurmqxiUr6TqWsm7hyumxXZHC55ocqmBgn36QTSBiVtmQCWrW9BSvWHRFxkBhajdJbq2PnhQn","effectiveFee":0},
    400: {"error":101,"message":"invalid signature"},
    404: {"status":"error","details":"Transaction is not in blockchain"},
  },
  "GET /transactions/unconfirmed": {
    200: [{"type":4,"version":3,"id":"cYpFtTy4PsFcYfyVq9H2Vg7ovkBhi87X3hsY6scxam8","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225624000,"recipient":"3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE","amount":100000000,"attachment":"","proofs":["5CijvpDSM4csWDJoDJCJdw3QcwmZUCWwVZpLESKCcusBt7BTL7KFhUHsFJixzpoE3M5UaDVdBkAQ9fxMmvi6wMez"]},{"type":8,"version":1,"id":"J5bZY8XrL9WDMeXyy9B8B3YkdCKidLk8siNwuXsjpkvB","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225624002,"recipient":"3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE","amount":500000000,"signature":"3MDNfU1vaHesm2v67zzcQPHSMAWoMpz2NHQxLzH5WAJp1j9Q5rXmeVyoUBRb9ePSHXiT1kpeEppgfQoaVuHBaHm8","status":"canceled"},{"type":9,"version":1,"id":"5ZDg1yDiVyEPb88hXWzSstF3SJR6YPZEa4rRiHCgxcWf","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225624003,"leaseId":"2ceXne1Ha9abquYRgfpAhYL2v39LhYcumYzyNvNZCYit","signature":"2V4yepoPVJCjTnThyTEAFMdCnhEKXsS52TLHVB7cVZixCbmZpsU6A6gYs8C6fbQQvCnU82gJf8GajJgo5yVy6y72","lease":{"type":8,"version":3,"id":"2ceXne1Ha9abquYRgfpAhYL2v39LhYcumYzyNvNZCYit","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225606002,"recipient":"3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE","amount":1000000000,"proofs":["4roVyjePhnA7p5CZXP3WBBKr4KcBUttjj7PHQF3bsAEe7adFNwisPMj4c9WofjnCnxJsbxwjvSXfS5W3ts4gYwUd"]}},{"type":15,"version":3,"id":"2VwqcHKCTv84fFQ3JFcCxdZV9i2JpCAw4KXWsqaaJXMX","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":35000000,"timestamp":1767225624001,"anchors":["4YjyCyYoeTbAtpJ7Qh8GfmStHVc5ABpLZoW2RFxbfvWr"],"proofs":["3w7LKd4Exx8tMTPBgnGHDwPw3nVuTwDP5JujL3RsJnpMbWjX8nincHiwRkssY9RRMfFjfqH3swLavwWTayNa2j2H"]}],
  },
  "GET /transactions/unconfirmed/size": {
    200: {"size":4},
  },
  "GET /transactions/unconfirmed/info": {
    400: {"error":101,"message":"invalid signature"},
  },
  "GET /transactions/unconfirmed/info/:id": {
    200: {"type":4,"version":3,"id":"cYpFtTy4PsFcYfyVq9H2Vg7ovkBhi87X3hsY6scxam8","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225624000,"recipient":"3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE","amount":100000000,"attachment":"","proofs":["5CijvpDSM4csWDJoDJCJdw3QcwmZUCWwVZpLESKCcusBt7BTL7KFhUHsFJixzpoE3M5UaDVdBkAQ9fxMmvi6wMez"]},
    400: {"error":101,"message":"invalid signature"},
    404: {"status":"error","details":"Transaction is not in UTX"},
  },
  "POST /transactions/calculateFee": {
    200: {"feeAmount":100000000},
    400: {"error":1,"message":"failed to parse json message","cause":"JsonError: unexpected end of text at position 1","validationErrors":{}},
  },
  "POST /transactions/broadcast": {
    200: {"type":4,"version":3,"id":"FCg2UwwX3iaKG4McHU8PmXBwgsPa23Jf9Hn49woKrSkJ","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225600000,"recipient":"3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE","amount":2500000000,"attachment":"","proofs":["3ZYFrt2x8FndpcY5HfwRnJSt14dUXvtdAeKzeQKcS3ANgVsNK9kzVAUQBFc55JqHK69gH2AdnvHmScrTvBjPdG5"]},
    400: {"error":1,"message":"failed to parse json message","cause":"JsonError: unexpected end of text at position 1","validationErrors":{}},
  },
  "POST /transactions/sign": {
    200: {"type":4,"version":3,"id":"GMLakkiYdvefSXbs9HjCBN5AqNjQouVXSWQ34gcoxykQ","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225624004,"recipient":"3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE","amount":2500000000,"attachment":"","proofs":["65X1suV7W7DsvBrpd9cQZ2KyCXmpUwT56MgnNE4JQXQuKYH9Brb9Gn9Xt6mmJxVTTnFdeVt5N7fjuNtPDuJ1ASRC"]},
    400: {"error":1,"message":"failed to parse json message","cause":"JsonError: unexpected end of text at position 1","validationErrors":{}},
  },
  "POST /transactions/submit": {
    200: {"type":4,"version":3,"id":"Fc3gZFmyJ8KtvRqEox3WGhNzeKvTqmku2fQbChZb922Z","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225624005,"recipient":"3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE","amount":2500000000,"attachment":"","proofs":["vGUUz9BmiVaTo3svGuXRm69pRyitsxeYZPmmoXLEKpnZNgZo6i2eQFfftJ2A2LomcWbTJc9cbsknv9L6T9e2Mjw"]},
    400: {"error":1,"message":"failed to parse json message","cause":"JsonError: unexpected end of text at position 1","validationErrors":{}},
  },
  "POST /transactions/submit/:type": {
    200: {"type":4,"version":3,"id":"H1vzboQVeLLQVVSJgmPVumKo6dfwrV5hUFMCcPz8nmbd","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225624006,"recipient":"3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE","amount":2500000000,"attachment":"","proofs":["2ibLokRfjTHveRmCk5WFVU7BMZ3nQdEVUXfnaFoDWwmvGU3mhcKMUeRjRwbs2d16MZAfxZQEurBJPQwvoKxF9Xbb"]},
    400: {"error":199,"message":"Bad transaction type (0OIl)"},
  },
  "GET /events": {
    200: "retry: 2000\nid: 0\n\n",
    400: {"error":400,"message":"events: '' is none of block, microblock, transaction, pool"},
  },
  "GET /associations/status/:address": {
    200: {"address":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","outgoing":[{"sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","type":1,"recipient":"3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE","subject":null,"timestamp":1767225601000,"expires":null,"data":[]}],"incoming":[]},
    400: {"error":102,"message":"invalid address"},
  },
  "GET /associations/:address": {
    200: {"children":["3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE"],"parents":[]},
    400: {"error":"invalid limit given"},
  },
  "GET /sponsorship/status/:address": {
    200: {"sponsor":["3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE"]},
    400: {"error":102,"message":"invalid address"},
  },
  "GET /certificates/:address": {
    400: {"error":102,"message":"invalid address"},
    404: {"error":"Certificate not found"},
  },
  "GET /certificates/:address/raw": {
    400: {"error":102,"message":"invalid address"},
    404: {"error":404,"message":"not found"},
  },
  "GET /consensus/algo": {
    200: {"consensusAlgo":"Fair Proof-of-Stake (FairPoS)"},
  },
  "GET /consensus/basetarget": {
    200: {"baseTarget":883751,"score":"104992381404149"},
  },
  "GET /consensus/basetarget/:blockId": {
    200: {"baseTarget":875001},
    400: {"error":101,"message":"invalid signature"},
    404: {"error":301,"message":"block does not exist"},
  },
  "GET /consensus/generationsignature": {
    200: {"generationSignature":"FTMn4KarjGJ95WpWjNUEJSsBF6D9HtahR2nKaL9MgCU4"},
  },
  "GET /consensus/generationsignature/:blockId": {
    200: {"generationSignature":"11111111111111111111111111111111"},
    400: {"error":101,"message":"invalid signature"},
    404: {"error":301,"message":"block does not exist"},
  },
  "GET /consensus/generatingbalance/:address": {
    200: {"address":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","balance":99988684000000},
    400: {"error":102,"message":"invalid address"},
  },
  "GET /supply": {
    200: {"height":5,"initial":100000000000000,"burned":0,"total":100000000000000},
  },
  "GET /supply/at/:height": {
    200: {"height":1,"initial":100000000000000,"burned":0,"total":100000000000000},
    404: {"error":404,"message":"not found"},
  },
  "GET /stats/operations/:from/:to": {
    200: [{"period":"2025-12-31 00:00:00","count":0},{"period":"2026-01-01 00:00:00","count":8},{"period":"2026-01-02 00:00:00","count":0}],
    400: {"error":"invalid from date given"},
  },
  "GET /stats/transactions/:type/:from/:to": {
    200: [{"period":"2025-12-31 00:00:00","count":0},{"period":"2026-01-01 00:00:00","count":8},{"period":"2026-01-02 00:00:00","count":0}],
    400: "invalid type given",
  },
  "GET /stats/lease/:from/:to": {
    200: [{"period":"2025-12-31 00:00:00","in":0,"out":0},{"period":"2026-01-01 00:00:00","in":1000000000,"out":0},{"period":"2026-01-02 00:00:00","in":0,"out":0}],
    400: {"error":"invalid from date given"},
  },
  "GET /stats/supply/circulating": {
    200: {"circulatingSupply":"1000000.00000000"},
  },
  "GET /stats/supply/max": {
    200: {"maxSupply":"1000000.00000000"},
  },
  "GET /stats/supply/:from/:to": {
    200: [{"period":"2025-12-31 00:00:00","supply":100000000000000,"leased":0,"leasedShare":0},{"period":"2026-01-01 00:00:00","supply":100000000000000,"leased":1000000000,"leasedShare":0.00001},{"period":"2026-01-02 00:00:00","supply":100000000000000,"leased":1000000000,"leasedShare":0.00001}],
    400: {"error":"invalid from date given"},
  },
  "GET /stats/generators/:from/:to": {
    200: {"blocks":4,"reward":945000000,"total":1,"generators":[{"generator":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","blocks":4,"reward":945000000,"share":1}]},
    400: {"error":"invalid from date given"},
  },
  "GET /generators": {
    200: [{"generator":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","blocks":3,"reward":505000000,"balance":99988684000000,"share":1,"info":{"colour":"green"}}],
    400: {"error":"limit: must be a whole number, at most 1000"},
  },
  "GET /fees/status": {
    200: {"price":100000,"votes":0,"period":10,"next":{"status":"MAINTAIN","price":100000,"activationHeight":10},"nodeStatus":"MAINTAIN"},
  },
  "POST /fees/vote": {
    200: {"status":"MAINTAIN"},
    400: {"error":1,"message":"failed to parse json message","cause":"JsonError: unexpected end of text at position 1","validationErrors":{}},
  },
  "GET /activation/status": {
    200: {"height":5,"votingInterval":1000,"votingThreshold":100,"nextCheck":1000,"features":[{"id":4,"description":"Smart Accounts","blockchainStatus":"ACTIVATED","nodeStatus":"IMPLEMENTED","activationHeight":0},{"id":10,"description":"Association Transaction","blockchainStatus":"ACTIVATED","nodeStatus":"IMPLEMENTED","activationHeight":0},{"id":11,"description":"Sponsorship Transaction","blockchainStatus":"ACTIVATED","nodeStatus":"IMPLEMENTED","activationHeight":0},{"id":12,"description":"Partial Fee Burn","blockchainStatus":"ACTIVATED","nodeStatus":"IMPLEMENTED","activationHeight":0},{"id":13,"description":"Cobalt","blockchainStatus":"ACTIVATED","nodeStatus":"IMPLEMENTED","activationHeight":0},{"id":14,"description":"Cobalt Alloy","blockchainStatus":"ACTIVATED","nodeStatus":"IMPLEMENTED","activationHeight":0},{"id":15,"description":"Juicy (Tokenomics)","blockchainStatus":"ACTIVATED","nodeStatus":"IMPLEMENTED","activationHeight":0},{"id":16,"description":"Titanium","blockchainStatus":"ACTIVATED","nodeStatus":"IMPLEMENTED","activationHeight":0},{"id":17,"description":"Palladium","blockchainStatus":"ACTIVATED","nodeStatus":"IMPLEMENTED","activationHeight":0}]},
  },
  "GET /utils/time": {
    200: {"system":1767225624000,"NTP":1767225624000},
  },
  "POST /utils/hash/secure": {
    200: {"message":"hello","hash":"6vKoKfrYSAoQzH64dSx97b3xNzxmcHigy1RTmJAy2PG2"},
  },
  "POST /utils/hash/fast": {
    200: {"message":"hello","hash":"4PNCZERNLKAqwSYHhZpb7B4GE34eiYDPXGgeNKWNNaBp"},
  },
  "POST /utils/script/compile": {
    200: {"script":"base64:AQkAAfQAAAADCAUAAAACdHgAAAAJYm9keUJ5dGVzCQABkQAAAAIIBQAAAAJ0eAAAAAZwcm9vZnMAAAAAAAAAAAAIBQAAAAJ0eAAAAA9zZW5kZXJQdWJsaWNLZXmmsz2x","complexity":115,"extraFee":100000000},
    400: {"error":305,"message":"Failure((baseExpr | invalid):1:1 ...\"\")"},
  },
  "POST /utils/script/estimate": {
    200: {"script":"base64:AQkAAfQAAAADCAUAAAACdHgAAAAJYm9keUJ5dGVzCQABkQAAAAIIBQAAAAJ0eAAAAAZwcm9vZnMAAAAAAAAAAAAIBQAAAAJ0eAAAAA9zZW5kZXJQdWJsaWNLZXmmsz2x","scriptText":"FUNCTION_CALL(Native(500),List(GETTER(REF(tx),bodyBytes), FUNCTION_CALL(Native(401),List(GETTER(REF(tx),proofs), CONST_LONG(0))), GETTER(REF(tx),senderPublicKey)))","complexity":115,"extraFee":100000000},
    400: {"error":305,"message":"next on empty iterator"},
  },
  "GET /node/version": {
    200: {"version":"Holdfast v1.0.0"},
  },
  "GET /node/status": {
    200: {"blockchainHeight":5,"stateHeight":5,"updatedTimestamp":1767225621496,"updatedDate":"2026-01-01T00:00:21.496Z"},
  },
  "GET /node/sync": {
    200: {"height":5,"peers":0,"behind":false,"blocksPerSecond":0,"transactionsPerSecond":0},
  },
  "GET /node/indexes": {
    200: [{"name":"transactions","state":"ready"},{"name":"anchors","state":"ready"},{"name":"associations","state":"ready"},{"name":"identities","state":"ready"},{"name":"trust","state":"ready"},{"name":"keys","state":"ready"},{"name":"credentials","state":"ready"},{"name":"statistics","state":"ready"},{"name":"generators","state":"ready"}],
  },
  "POST /node/stop": {
    200: {"stopped":true},
  },
  "GET /health": {
    200: {"sync":true,"message":"Indexer is in sync","data":{"nodeResponse":{"blockchainHeight":5,"stateHeight":5,"updatedTimestamp":1767225621496,"updatedDate":"2026-01-01T00:00:21.496Z"},"processingHeight":5}},
  },
  "GET /info": {
    200: {"name":"indexer","version":"1.0.0","description":"Index LTO Network transactions to query information like anchors and DIDs","env":"production"},
  },
  "GET /node": {
    200: {"status":{"blockchainHeight":5,"stateHeight":5,"updatedTimestamp":1767225621496,"updatedDate":"2026-01-01T00:00:21.496Z"},"address":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt"},
  },
  "GET /peers/all": {
    200: {"peers":[]},
  },
  "GET /peers/connected": {
    200: {"peers":[]},
  },
  "GET /peers/blacklisted": {
    200: [],
  },
  "GET /peers/suspended": {
    200: [],
  },
  "POST /peers/connect": {
    400: {"error":199,"message":"This node talks to no other nodes"},
  },
  "POST /peers/clearblacklist": {
    200: {"result":"blacklist cleared"},
  },
  "GET /debug/blocks/:howMany": {
    200: [{"226":"AoMnaFNmg4hDgpZGbZARo84XCtRLpDqLjya8bxtdGwdr"}],
  },
  "GET /debug/portfolios/:address": {
    200: {"balance":99990550000000,"lease":{"in":0,"out":1000000000,"unbonding":0}},
    400: {"error":102,"message":"invalid address"},
  },
  "GET /debug/state": {
    200: {"3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE":9450000000,"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt":99990550000000},
  },
  "GET /debug/stateAtHeight/:height": {
    200: {"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt":100000000000000},
  },
  "GET /debug/info": {
    200: {"stateHeight":5,"extensionLoaderState":"State(Idle,Idle)","historyReplierCacheSizes":{"blocks":0,"microBlocks":0},"microBlockSynchronizerCacheSizes":{"microBlockOwners":0,"nextInvs":0,"awaiting":0,"successfullyReceived":0},"scoreObserverStats":{"localScore":104992381404149,"currentBestChannel":"None","scoresCacheSize":0},"minerState":"mining microblocks"},
  },
  "GET /debug/minerInfo": {
    200: [{"address":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","miningBalance":99988684000000,"timestamp":1767225626523}],
  },
  "GET /debug/historyInfo": {
    200: {"lastBlockIds":["3Es9AaDeHeR7dv4bQTRw5ZfqRpmqJKeo3aubx6c8oJNrhWgTz4s1ot76mxGTZfhzYu83Anxty8ZrvpRo9rFJq4PA","5DZ6unKSCZkEBcxxkt8YZusHPTYTq3YPareyFRzUzoHjqvKoso1M6MGBhBYPUKQH9JKJz185Daay3MXNyX8goNVu","4sBYNLJYuTpYHYEWrenAeH7PrjtrcYBs6aBmTgthPyr7yAFmk4XRZjozZMRPT34MpLncuQjocw5Mwx9kN2jkBvQV","53KvG3HPs4adaf5uurmqxiUr6TqWsm7hyumxXZHC55ocqmBgn36QTSBiVtmQCWrW9BSvWHRFxkBhajdJbq2PnhQn"],"microBlockIds":[]},
  },
  "GET /debug/configInfo": {
    200: {"lto":{}},
  },
  "POST /debug/print": {
    200: "",
  },
  "POST /debug/blacklist": {
    200: "OK",
    400: "The request contains bad syntax or cannot be fulfilled.",
  },
  "POST /debug/rollback": {
    200: {"BlockId":"53KvG3HPs4adaf5uurmqxiUr6TqWsm7hyumxXZHC55ocqmBgn36QTSBiVtmQCWrW9BSvWHRFxkBhajdJbq2PnhQn"},
    400: "The request contains bad syntax or cannot be fulfilled.",
  },
  "DELETE /debug/rollback-to/:signature": {
    200: {"BlockId":"53KvG3HPs4adaf5uurmqxiUr6TqWsm7hyumxXZHC55ocqmBgn36QTSBiVtmQCWrW9BSvWHRFxkBhajdJbq2PnhQn"},
    400: {"error":101,"message":"invalid signature"},
  },
};
