// biome-ignore-all format: made by test/openapi.test.ts, as large as it must be
/**
 * What a node of the network `dev` answered, for the description. After a change of routes run
 * `npx vitest run test/openapi.test.ts --update`.
 */
import type { Examples } from "./examples.ts";

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
    200: {"version":4,"timestamp":1767225627496,"reference":"4PHe5npgie1AK7AutP8cRbYoVBaY2766hc97GiWEuMDvTwB9ovFfvcBbrLhvjzfApeQh9hHvWq2dY1ji8AczLr9d","nxt-consensus":{"base-target":883751,"generation-signature":"FTMn4KarjGJ95WpWjNUEJSsBF6D9HtahR2nKaL9MgCU4"},"features":[],"feeVote":0,"generator":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","signature":"naVwqp5wEMZ6jQtdMvBD4GZk9xnEyvv81tpCKReMPPu3TP8pLLZBbkW3GGWLYsuDVRTyx9reKkANZqPHPDn3tjw","blocksize":226,"transactionCount":0,"transactions":[],"fee":0,"burnedFees":0,"miningReward":275000000,"generatorReward":440000000,"height":5,"nxtconsensus":{"basetarget":883751,"generationsignature":"FTMn4KarjGJ95WpWjNUEJSsBF6D9HtahR2nKaL9MgCU4"}},
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
    200: [{"version":4,"timestamp":1767225607000,"reference":"53KvG3HPs4adaf5uurmqxiUr6TqWsm7hyumxXZHC55ocqmBgn36QTSBiVtmQCWrW9BSvWHRFxkBhajdJbq2PnhQn","nxt-consensus":{"base-target":875001,"generation-signature":"ruzm2v4GAM9KazDs7TpoUnH7F4G9May2gaNeuqhR7yM"},"features":[],"feeVote":0,"generator":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","signature":"xSzWXJ4saNiXCUTjrCm9VX67YuLzxJF2UZFhFey7h1t6vYnaGgExg2kNQBLMUdzYisZdiFG8m1zfeutioSSMrpm","blocksize":1203,"transactionCount":6,"transactions":[{"type":4,"version":3,"id":"GwxLnHQPskRf7uyKrV6Qr7csenkwmjFifzwskeo187Ts","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225612000,"recipient":"3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE","amount":10000000000,"attachment":"","proofs":["31ZkY75nddchc2Tf7Pdksjxfi5AVCcUNtCdphJ34uiAyZJ6KsoBYD7ZawoWWYyFmDJmnHAbjx3p6dR1aXomcCvxt"],"effectiveFee":100000000},{"type":12,"version":3,"id":"7jEHEMuhEtXqEzjgDN2XX3uj8jQ17se8AoiH7V1rRrjc","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225612001,"data":[{"key":"colour","type":"string","value":"green"}],"proofs":["4FoW1DDCN7h7XUGU2zufuWggw36KfcxjbazaD4tR6nuWgpYXFX6TfkZivq6Uv3jSW9VvHwMRDM1BjN6vDmLN6tgE"],"effectiveFee":60000000},{"type":8,"version":3,"id":"2ZGZjq5sLNsFWazvbC68V9FsNFPay38NL8NYGrwo9LCh","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225612002,"recipient":"3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE","amount":1000000000,"proofs":["2fFvX2eVWQKYcWLbbts5rmUUJjvJVXrrqbmS1iEGMozgBorjhREptU43KjprCnhCh6gkmKti8R8AzHoJax7kNj63"],"effectiveFee":100000000},{"type":16,"version":4,"id":"F9aWHKKCzfVSV5gKm2fQ9YgdggwXiaQvRCms8S2WxrmG","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225612003,"associationType":1,"recipient":"3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE","proofs":["uYkLwSKx2R6GVR9HZdjh5BVEu7sUGiJSJqyghwuH4W932LoEmmPo1Pd4rdRTqvJhUk5NknXwLY4r26j1AKoufUG"],"effectiveFee":50000000},{"type":23,"version":3,"id":"EsDJZxt9tUmYZx8yovZeJUiscCJwcbTzi9FZe8EBvHzF","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225612004,"statementType":16,"proofs":["2ixJJ4fuScB1MzWNzhf34GnTihst6FVBoc3zBe7kxzeT4tTM9fDXWtyDg3Tzd34nfaP2UtsbceHn4p8L1eMKb7Xo"],"subject":"4aJ7NPsNqcEGJbfBZVxrsdFrLnVbR41Fv4k4CCEMpT1W","effectiveFee":50000000},{"type":15,"version":3,"id":"CKtny2myaMpKQ3t7tyVKvigA2uBYzygqXEmTZYYNiR5d","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225612005,"anchors":["4deqMFcPkNR3Bv9gR5KL2WvDA5DYYjFHcRdgCyMFKWGk"],"proofs":["27qcYbGNKLAhL2pokxWWSAnfBxnHHe6oPcYKTB8iXjnnwbziNzHELFziHKXcpwnBeiQfFpZw2E1v37pM57CH9HKF"],"effectiveFee":35000000}],"fee":395000000,"burnedFees":197500000,"miningReward":0,"generatorReward":79000000,"height":2,"nxtconsensus":{"basetarget":875001,"generationsignature":"ruzm2v4GAM9KazDs7TpoUnH7F4G9May2gaNeuqhR7yM"}},{"version":4,"timestamp":1767225613855,"reference":"xSzWXJ4saNiXCUTjrCm9VX67YuLzxJF2UZFhFey7h1t6vYnaGgExg2kNQBLMUdzYisZdiFG8m1zfeutioSSMrpm","nxt-consensus":{"base-target":875001,"generation-signature":"8awrVzmTL6RCj6FYkX54yHn76QQRPMmkDcPTCi99qqNs"},"features":[],"feeVote":0,"generator":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","signature":"3HbmcknFXguE9JeRJX1XGEw5ogifNeV8ChoZRamwafYYqE5RH5RhncWdiv1pBNHMAvZjPoJoQQnzhNrtAHm3nq4","blocksize":226,"transactionCount":0,"transactions":[],"fee":0,"burnedFees":0,"miningReward":197500000,"generatorReward":316000000,"height":3,"nxtconsensus":{"basetarget":875001,"generationsignature":"8awrVzmTL6RCj6FYkX54yHn76QQRPMmkDcPTCi99qqNs"}},{"version":4,"timestamp":1767225620013,"reference":"3HbmcknFXguE9JeRJX1XGEw5ogifNeV8ChoZRamwafYYqE5RH5RhncWdiv1pBNHMAvZjPoJoQQnzhNrtAHm3nq4","nxt-consensus":{"base-target":883751,"generation-signature":"3Ezys3TL7kCRnz5XBzEoobGwj3Gw2xVVja1bRVX74x1v"},"features":[],"feeVote":0,"generator":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","signature":"4PHe5npgie1AK7AutP8cRbYoVBaY2766hc97GiWEuMDvTwB9ovFfvcBbrLhvjzfApeQh9hHvWq2dY1ji8AczLr9d","blocksize":519,"transactionCount":2,"transactions":[{"type":18,"version":3,"id":"ABuQoTMM3xu8q9knPQonvJ25zhRaiZ7fpQ4gomUFUDZ7","sender":"3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE","senderKeyType":"ed25519","senderPublicKey":"ChuzJHkbyhFP3so9NMDivS26x53BGkPJKGhbYLr3D55T","fee":500000000,"timestamp":1767225624001,"recipient":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","proofs":["2oELnBZA7g9tfPCsP2GKeD2xTW2X8q6JJRfpUQFGn4cTYXN1bLvffRpsnze2TjEmSf9HD4WZLeEV3N9pouCwHVnX"],"effectiveFee":500000000},{"type":23,"version":3,"id":"5AYkDLvyhK3ajNhxbKhxKRQ9EELrqW5jDTxmq95pGszu","sender":"3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE","senderKeyType":"ed25519","senderPublicKey":"ChuzJHkbyhFP3so9NMDivS26x53BGkPJKGhbYLr3D55T","fee":100000000,"timestamp":1767225624000,"statementType":288,"proofs":["4by2hsdfufiR6DSaj65faYbptYv9Qezac9Saq6e1QofX1LPGxeZcJjV78rSzK6hVqMQKQBPFEgpukaKXXYw72BtA"],"effectiveFee":50000000}],"fee":550000000,"burnedFees":275000000,"miningReward":0,"generatorReward":110000000,"height":4,"nxtconsensus":{"basetarget":883751,"generationsignature":"3Ezys3TL7kCRnz5XBzEoobGwj3Gw2xVVja1bRVX74x1v"}},{"version":4,"timestamp":1767225627496,"reference":"4PHe5npgie1AK7AutP8cRbYoVBaY2766hc97GiWEuMDvTwB9ovFfvcBbrLhvjzfApeQh9hHvWq2dY1ji8AczLr9d","nxt-consensus":{"base-target":883751,"generation-signature":"FTMn4KarjGJ95WpWjNUEJSsBF6D9HtahR2nKaL9MgCU4"},"features":[],"feeVote":0,"generator":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","signature":"naVwqp5wEMZ6jQtdMvBD4GZk9xnEyvv81tpCKReMPPu3TP8pLLZBbkW3GGWLYsuDVRTyx9reKkANZqPHPDn3tjw","blocksize":226,"transactionCount":0,"transactions":[],"fee":0,"burnedFees":0,"miningReward":275000000,"generatorReward":440000000,"height":5,"nxtconsensus":{"basetarget":883751,"generationsignature":"FTMn4KarjGJ95WpWjNUEJSsBF6D9HtahR2nKaL9MgCU4"}}],
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
    200: {"version":4,"timestamp":1767225607000,"reference":"53KvG3HPs4adaf5uurmqxiUr6TqWsm7hyumxXZHC55ocqmBgn36QTSBiVtmQCWrW9BSvWHRFxkBhajdJbq2PnhQn","nxt-consensus":{"base-target":875001,"generation-signature":"ruzm2v4GAM9KazDs7TpoUnH7F4G9May2gaNeuqhR7yM"},"features":[],"feeVote":0,"generator":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","signature":"xSzWXJ4saNiXCUTjrCm9VX67YuLzxJF2UZFhFey7h1t6vYnaGgExg2kNQBLMUdzYisZdiFG8m1zfeutioSSMrpm","blocksize":1203,"transactionCount":6,"transactions":[{"type":4,"version":3,"id":"GwxLnHQPskRf7uyKrV6Qr7csenkwmjFifzwskeo187Ts","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225612000,"recipient":"3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE","amount":10000000000,"attachment":"","proofs":["31ZkY75nddchc2Tf7Pdksjxfi5AVCcUNtCdphJ34uiAyZJ6KsoBYD7ZawoWWYyFmDJmnHAbjx3p6dR1aXomcCvxt"]},{"type":12,"version":3,"id":"7jEHEMuhEtXqEzjgDN2XX3uj8jQ17se8AoiH7V1rRrjc","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225612001,"data":[{"key":"colour","type":"string","value":"green"}],"proofs":["4FoW1DDCN7h7XUGU2zufuWggw36KfcxjbazaD4tR6nuWgpYXFX6TfkZivq6Uv3jSW9VvHwMRDM1BjN6vDmLN6tgE"]},{"type":8,"version":3,"id":"2ZGZjq5sLNsFWazvbC68V9FsNFPay38NL8NYGrwo9LCh","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225612002,"recipient":"3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE","amount":1000000000,"proofs":["2fFvX2eVWQKYcWLbbts5rmUUJjvJVXrrqbmS1iEGMozgBorjhREptU43KjprCnhCh6gkmKti8R8AzHoJax7kNj63"]},{"type":16,"version":4,"id":"F9aWHKKCzfVSV5gKm2fQ9YgdggwXiaQvRCms8S2WxrmG","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225612003,"associationType":1,"recipient":"3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE","proofs":["uYkLwSKx2R6GVR9HZdjh5BVEu7sUGiJSJqyghwuH4W932LoEmmPo1Pd4rdRTqvJhUk5NknXwLY4r26j1AKoufUG"]},{"type":23,"version":3,"id":"EsDJZxt9tUmYZx8yovZeJUiscCJwcbTzi9FZe8EBvHzF","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225612004,"statementType":16,"proofs":["2ixJJ4fuScB1MzWNzhf34GnTihst6FVBoc3zBe7kxzeT4tTM9fDXWtyDg3Tzd34nfaP2UtsbceHn4p8L1eMKb7Xo"],"subject":"4aJ7NPsNqcEGJbfBZVxrsdFrLnVbR41Fv4k4CCEMpT1W"},{"type":15,"version":3,"id":"CKtny2myaMpKQ3t7tyVKvigA2uBYzygqXEmTZYYNiR5d","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225612005,"anchors":["4deqMFcPkNR3Bv9gR5KL2WvDA5DYYjFHcRdgCyMFKWGk"],"proofs":["27qcYbGNKLAhL2pokxWWSAnfBxnHHe6oPcYKTB8iXjnnwbziNzHELFziHKXcpwnBeiQfFpZw2E1v37pM57CH9HKF"]}],"nxtconsensus":{"basetarget":875001,"generationsignature":"ruzm2v4GAM9KazDs7TpoUnH7F4G9May2gaNeuqhR7yM"}},
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
    200: {"version":4,"timestamp":1767225627496,"reference":"4PHe5npgie1AK7AutP8cRbYoVBaY2766hc97GiWEuMDvTwB9ovFfvcBbrLhvjzfApeQh9hHvWq2dY1ji8AczLr9d","nxt-consensus":{"base-target":883751,"generation-signature":"FTMn4KarjGJ95WpWjNUEJSsBF6D9HtahR2nKaL9MgCU4"},"features":[],"feeVote":0,"generator":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","signature":"naVwqp5wEMZ6jQtdMvBD4GZk9xnEyvv81tpCKReMPPu3TP8pLLZBbkW3GGWLYsuDVRTyx9reKkANZqPHPDn3tjw","blocksize":226,"transactionCount":0,"height":5,"nxtconsensus":{"basetarget":883751,"generationsignature":"FTMn4KarjGJ95WpWjNUEJSsBF6D9HtahR2nKaL9MgCU4"}},
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
  "GET /blocks/reverted/:signature": {
    200: {"header":{"version":4,"timestamp":1767225601000,"reference":"53KvG3HPs4adaf5uurmqxiUr6TqWsm7hyumxXZHC55ocqmBgn36QTSBiVtmQCWrW9BSvWHRFxkBhajdJbq2PnhQn","nxt-consensus":{"base-target":875001,"generation-signature":"ruzm2v4GAM9KazDs7TpoUnH7F4G9May2gaNeuqhR7yM"},"features":[],"feeVote":0,"generator":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","signature":"2s6uCMwfq14iiuXequyk2nMvkUHXKVvB2btkjjiGfzmF4GkM65pntypDqWfspEG1piEPrUzWvV1P74yGGR2uPsd5","blocksize":226,"transactionCount":0,"height":2,"nxtconsensus":{"basetarget":875001,"generationsignature":"ruzm2v4GAM9KazDs7TpoUnH7F4G9May2gaNeuqhR7yM"}},"microBlock":false,"onChain":false,"keepsKeyBlock":false,"replacedBy":{"version":4,"timestamp":1767225607000,"reference":"53KvG3HPs4adaf5uurmqxiUr6TqWsm7hyumxXZHC55ocqmBgn36QTSBiVtmQCWrW9BSvWHRFxkBhajdJbq2PnhQn","nxt-consensus":{"base-target":875001,"generation-signature":"ruzm2v4GAM9KazDs7TpoUnH7F4G9May2gaNeuqhR7yM"},"features":[],"feeVote":0,"generator":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","signature":"xSzWXJ4saNiXCUTjrCm9VX67YuLzxJF2UZFhFey7h1t6vYnaGgExg2kNQBLMUdzYisZdiFG8m1zfeutioSSMrpm","blocksize":1203,"transactionCount":6,"height":2,"nxtconsensus":{"basetarget":875001,"generationsignature":"ruzm2v4GAM9KazDs7TpoUnH7F4G9May2gaNeuqhR7yM"}}},
    400: {"error":101,"message":"invalid signature"},
    404: {"error":301,"message":"block does not exist"},
  },
  "GET /node/reorganisations": {
    200: {"since":1767225600000,"count":1,"reorganisations":[{"timestamp":1767225606000,"commonHeight":1,"revertedCount":1,"reverted":["2s6uCMwfq14iiuXequyk2nMvkUHXKVvB2btkjjiGfzmF4GkM65pntypDqWfspEG1piEPrUzWvV1P74yGGR2uPsd5"],"committedCount":0,"committed":[]}]},
  },
  "POST /hash": {
    200: {"chainpoint":{"@context":"https://w3id.org/chainpoint/v2","type":"ChainpointSHA256v2","targetHash":"34b4a6b1ce9ced82394644fdb3136e531714a780170a3aaaf29d8ee39a17f127","anchors":[{"type":"LTODataTransaction","sourceId":"328aZ4yXfG9KpAQrfnaVxxCUuaiRrUUbuNqffusUgXtT"}]}},
    400: "invalid body given",
    403: {"error":403,"message":"host is not a loopback name"},
  },
  "POST /hash/verify": {
    200: {"verified":false,"anchors":{"34b4a6b1ce9ced82394644fdb3136e531714a780170a3aaaf29d8ee39a17f127":null}},
    400: "invalid encoding given",
  },
  "GET /hash/:hash": {
    200: {"chainpoint":{"@context":"https://w3id.org/chainpoint/v2","type":"ChainpointSHA256v2","targetHash":"34b4a6b1ce9ced82394644fdb3136e531714a780170a3aaaf29d8ee39a17f127","anchors":[{"type":"LTODataTransaction","sourceId":"328aZ4yXfG9KpAQrfnaVxxCUuaiRrUUbuNqffusUgXtT"}]}},
    404: {"chainpoint":null},
  },
  "GET /hash/:hash/encoding/:encoding": {
    200: {"chainpoint":{"@context":"https://w3id.org/chainpoint/v2","type":"ChainpointSHA256v2","targetHash":"34b4a6b1ce9ced82394644fdb3136e531714a780170a3aaaf29d8ee39a17f127","anchors":[{"type":"LTODataTransaction","sourceId":"328aZ4yXfG9KpAQrfnaVxxCUuaiRrUUbuNqffusUgXtT"}]}},
    400: "invalid encoding given",
    404: {"chainpoint":null},
  },
  "GET /hash/:hash/status": {
    200: {"hash":"34b4a6b1ce9ced82394644fdb3136e531714a780170a3aaaf29d8ee39a17f127","status":"unconfirmed","transaction":"328aZ4yXfG9KpAQrfnaVxxCUuaiRrUUbuNqffusUgXtT"},
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
    410: {"didDocument":null,"didResolutionMetadata":{},"didDocumentMetadata":{"created":"2026-01-01T00:00:24Z","deactivated":true,"versionId":"1767225624001"}},
    501: {"didDocument":null,"didResolutionMetadata":{"error":"methodNotSupported","problemDetails":{"type":"https://www.w3.org/ns/did#METHOD_NOT_SUPPORTED","title":"Method not supported","detail":"this node knows DIDs of the method lto"}},"didDocumentMetadata":{}},
  },
  "GET /identities/:address/derived/:secret": {
    200: {"@context":["https://www.w3.org/ns/did/v1","https://w3id.org/security/suites/ed25519-2020/v1","https://w3id.org/security/suites/secp256k1-2019/v1"],"id":"did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt:derived:2ecUjVz","alsoKnownAs":["did:lto:3QXFkgzvEwEW8fuEPQg4SrYLZpSTLA878rf"],"verificationMethod":[{"id":"did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt#sign","type":"Ed25519VerificationKey2020","controller":"did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","publicKeyMultibase":"zHR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ"}],"authentication":["did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt#sign"],"assertionMethod":["did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt#sign"],"keyAgreement":[{"id":"did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt#encrypt","type":"X25519KeyAgreementKey2019","controller":"did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","publicKeyMultibase":"zH2LK6v8DpmbUyxhJGKJwhvq5cshyesyvCCHYNDN3HLZ7"}],"capabilityInvocation":["did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt#sign"],"capabilityDelegation":["did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt#sign"],"service":[]},
    400: {"error":"invalid-secret"},
    404: {"error":"notFound"},
    406: {"didDocument":null,"didResolutionMetadata":{"error":"representationNotSupported","problemDetails":{"type":"https://www.w3.org/ns/did#REPRESENTATION_NOT_SUPPORTED","title":"Representation not supported","detail":"only application/did, application/did-resolution, application/did-url-dereferencing are made here"}},"didDocumentMetadata":{}},
    410: {"didDocument":null,"didResolutionMetadata":{},"didDocumentMetadata":{"created":"2026-01-01T00:00:24Z","deactivated":true,"versionId":"1767225624001"}},
    501: {"didDocument":null,"didResolutionMetadata":{"error":"methodNotSupported","problemDetails":{"type":"https://www.w3.org/ns/did#METHOD_NOT_SUPPORTED","title":"Method not supported","detail":"this node knows DIDs of the method lto"}},"didDocumentMetadata":{}},
  },
  "GET /identifiers/:did": {
    200: {"@context":["https://www.w3.org/ns/did/v1","https://w3id.org/security/suites/ed25519-2020/v1","https://w3id.org/security/suites/secp256k1-2019/v1"],"id":"did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","verificationMethod":[{"id":"did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt#sign","type":"Ed25519VerificationKey2020","controller":"did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","publicKeyMultibase":"zHR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ"}],"authentication":["did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt#sign"],"assertionMethod":["did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt#sign"],"keyAgreement":[{"id":"did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt#encrypt","type":"X25519KeyAgreementKey2019","controller":"did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","publicKeyMultibase":"zH2LK6v8DpmbUyxhJGKJwhvq5cshyesyvCCHYNDN3HLZ7"}],"capabilityInvocation":["did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt#sign"],"capabilityDelegation":["did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt#sign"],"service":[]},
    400: {"error":"invalidDidUrl"},
    404: {"error":"notFound"},
    406: {"didDocument":null,"didResolutionMetadata":{"error":"representationNotSupported","problemDetails":{"type":"https://www.w3.org/ns/did#REPRESENTATION_NOT_SUPPORTED","title":"Representation not supported","detail":"only application/did, application/did-resolution, application/did-url-dereferencing are made here"}},"didDocumentMetadata":{}},
    410: {"didDocument":null,"didResolutionMetadata":{},"didDocumentMetadata":{"created":"2026-01-01T00:00:24Z","deactivated":true,"versionId":"1767225624001"}},
    501: {"didDocument":null,"didResolutionMetadata":{"error":"methodNotSupported","problemDetails":{"type":"https://www.w3.org/ns/did#METHOD_NOT_SUPPORTED","title":"Method not supported","detail":"this node knows DIDs of the method lto"}},"didDocumentMetadata":{}},
  },
  "GET /1.0/identifiers/:did": {
    200: {"didDocument":{"@context":["https://www.w3.org/ns/did/v1","https://w3id.org/security/multikey/v1"],"id":"did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","verificationMethod":[{"id":"did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt#sign","type":"Multikey","controller":"did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","publicKeyMultibase":"z6MkvsL9ZqyxSQomjYoWHt4bKUhfh5ozHdXE7xkzsfJmo8Ug"}],"authentication":["did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt#sign"],"assertionMethod":["did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt#sign"],"keyAgreement":[{"id":"did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt#encrypt","type":"Multikey","controller":"did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","publicKeyMultibase":"z6LSshWUdDw5vEKE5M54nxpu2X3ZU2F6MVA55B1Drg1ZziKs"}],"capabilityInvocation":["did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt#sign"],"capabilityDelegation":["did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt#sign"]},"didResolutionMetadata":{"contentType":"application/did"},"didDocumentMetadata":{"created":"2026-01-01T00:00:12Z","deactivated":false,"versionId":"1767225612000"}},
    400: {"didDocument":null,"didResolutionMetadata":{"error":"invalidDid","problemDetails":{"type":"https://www.w3.org/ns/did#INVALID_DID","title":"Invalid DID","detail":"the DID has no valid address"}},"didDocumentMetadata":{}},
    404: {"didDocument":null,"didResolutionMetadata":{"error":"notFound","problemDetails":{"type":"https://www.w3.org/ns/did#NOT_FOUND","title":"Not found","detail":"the chain knows no key of this DID"}},"didDocumentMetadata":{}},
    406: {"didDocument":null,"didResolutionMetadata":{"error":"representationNotSupported","problemDetails":{"type":"https://www.w3.org/ns/did#REPRESENTATION_NOT_SUPPORTED","title":"Representation not supported","detail":"only application/did, application/did-resolution, application/did-url-dereferencing are made here"}},"didDocumentMetadata":{}},
    410: {"didDocument":null,"didResolutionMetadata":{},"didDocumentMetadata":{"created":"2026-01-01T00:00:24Z","deactivated":true,"versionId":"1767225624001"}},
    501: {"didDocument":null,"didResolutionMetadata":{"error":"methodNotSupported","problemDetails":{"type":"https://www.w3.org/ns/did#METHOD_NOT_SUPPORTED","title":"Method not supported","detail":"this node knows DIDs of the method lto"}},"didDocumentMetadata":{}},
  },
  "GET /identities/:address/versions": {
    200: {"id":"did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","total":1,"versions":[{"versionId":"1767225612000","timestamp":1767225612000}]},
    400: {"error":"invalidDid"},
  },
  "GET /roles": {
    200: {"root":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","accounts":[]},
    400: {"error":"limit: must be a whole number, at most 1000"},
  },
  "GET /trust/:address": {
    200: {"roles":["root"],"issues_roles":[],"issues_authorization":[]},
    400: {"error":"invalid address"},
  },
  "GET /credential-status/:id": {
    200: {"id":"4aJ7NPsNqcEGJbfBZVxrsdFrLnVbR41Fv4k4CCEMpT1W","issuer":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","statements":[{"type":"issue","timestamp":"2026-01-01T00:00:12Z","signer":{"id":"did:lto:3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt#sign","type":"Ed25519VerificationKey2020","publicKeyMultibase":"zHR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ"}}],"issued":"2026-01-01T00:00:12Z"},
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
  "GET /addresses/balance/changes/:address": {
    200: [{"height":5,"block":"naVwqp5wEMZ6jQtdMvBD4GZk9xnEyvv81tpCKReMPPu3TP8pLLZBbkW3GGWLYsuDVRTyx9reKkANZqPHPDn3tjw","timestamp":1767225627496,"regular":99990550000000,"available":99989550000000,"leasing":1000000000,"unbonding":0,"effective":99989550000000,"forged":true,"transactionCount":0,"transactions":[]},{"height":4,"block":"4PHe5npgie1AK7AutP8cRbYoVBaY2766hc97GiWEuMDvTwB9ovFfvcBbrLhvjzfApeQh9hHvWq2dY1ji8AczLr9d","timestamp":1767225620013,"regular":99990110000000,"available":99989110000000,"leasing":1000000000,"unbonding":0,"effective":99989110000000,"forged":true,"transactionCount":1,"transactions":["ABuQoTMM3xu8q9knPQonvJ25zhRaiZ7fpQ4gomUFUDZ7"]},{"height":3,"block":"3HbmcknFXguE9JeRJX1XGEw5ogifNeV8ChoZRamwafYYqE5RH5RhncWdiv1pBNHMAvZjPoJoQQnzhNrtAHm3nq4","timestamp":1767225613855,"regular":99990000000000,"available":99989000000000,"leasing":1000000000,"unbonding":0,"effective":99989000000000,"forged":true,"transactionCount":0,"transactions":[]},{"height":2,"block":"xSzWXJ4saNiXCUTjrCm9VX67YuLzxJF2UZFhFey7h1t6vYnaGgExg2kNQBLMUdzYisZdiFG8m1zfeutioSSMrpm","timestamp":1767225607000,"regular":99989684000000,"available":99988684000000,"leasing":1000000000,"unbonding":0,"effective":99988684000000,"forged":true,"transactionCount":6,"transactions":["GwxLnHQPskRf7uyKrV6Qr7csenkwmjFifzwskeo187Ts","7jEHEMuhEtXqEzjgDN2XX3uj8jQ17se8AoiH7V1rRrjc","2ZGZjq5sLNsFWazvbC68V9FsNFPay38NL8NYGrwo9LCh","F9aWHKKCzfVSV5gKm2fQ9YgdggwXiaQvRCms8S2WxrmG","EsDJZxt9tUmYZx8yovZeJUiscCJwcbTzi9FZe8EBvHzF","CKtny2myaMpKQ3t7tyVKvigA2uBYzygqXEmTZYYNiR5d"]},{"height":1,"block":"53KvG3HPs4adaf5uurmqxiUr6TqWsm7hyumxXZHC55ocqmBgn36QTSBiVtmQCWrW9BSvWHRFxkBhajdJbq2PnhQn","timestamp":1735689600000,"regular":100000000000000,"available":100000000000000,"leasing":0,"unbonding":0,"effective":100000000000000,"forged":false,"transactionCount":1,"transactions":["36XcvCstxiEgLAWXcDQEziUrSapjD3r1QESJYqVRHVJamdSxHTadmghw6haTvb3eYCfkX1PDdGaahYFZC6XHZW6K"]}],
    400: {"error":102,"message":"invalid address"},
  },
  "GET /leasing/active/:address": {
    200: [{"type":8,"version":3,"id":"2ZGZjq5sLNsFWazvbC68V9FsNFPay38NL8NYGrwo9LCh","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225612002,"recipient":"3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE","amount":1000000000,"proofs":["2fFvX2eVWQKYcWLbbts5rmUUJjvJVXrrqbmS1iEGMozgBorjhREptU43KjprCnhCh6gkmKti8R8AzHoJax7kNj63"],"height":2}],
    400: {"error":102,"message":"invalid address"},
  },
  "POST /leasing/lease": {
    200: {"type":8,"version":1,"id":"8Uuy4DwziYaJLFqPFgVvXWdfRmy4QN36FM3NUkN26ern","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225630002,"recipient":"3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE","amount":500000000,"signature":"2uFoHPxBfzxGSveHdWdFp8c4Ehbpfnk2TZQXH4usMXr7K3aMrVjLPdgotxwTiDaJSKTizhsdLJyyX2VReQhyGXy5"},
    400: {"error":1,"message":"failed to parse json message","cause":"the request has no body","validationErrors":{}},
  },
  "POST /leasing/cancel": {
    200: {"type":9,"version":1,"id":"Fu32yWbWT5nBhSVJsN6tMPtK5kpFiNCmqgYJfhVbGkd5","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225630003,"leaseId":"2ZGZjq5sLNsFWazvbC68V9FsNFPay38NL8NYGrwo9LCh","signature":"RXzyFQv7cYSFpsTrngUie5kDDjFFhnkjPMypJM3oNpi8aopbwK9EiY2bQKdNegsv4amj5GqxNJwZyGmbqa32x76"},
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
  "GET /transactions/newest": {
    200: [{"type":4,"version":3,"id":"GwxLnHQPskRf7uyKrV6Qr7csenkwmjFifzwskeo187Ts","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225612000,"recipient":"3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE","amount":10000000000,"attachment":"","proofs":["31ZkY75nddchc2Tf7Pdksjxfi5AVCcUNtCdphJ34uiAyZJ6KsoBYD7ZawoWWYyFmDJmnHAbjx3p6dR1aXomcCvxt"],"height":2,"blockSignature":"xSzWXJ4saNiXCUTjrCm9VX67YuLzxJF2UZFhFey7h1t6vYnaGgExg2kNQBLMUdzYisZdiFG8m1zfeutioSSMrpm","effectiveFee":100000000}],
    400: {"error":400,"message":"invalid limit"},
  },
  "GET /transactions/address/:address": {
    200: [[{"type":4,"version":3,"id":"GwxLnHQPskRf7uyKrV6Qr7csenkwmjFifzwskeo187Ts","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225612000,"recipient":"3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE","amount":10000000000,"attachment":"","proofs":["31ZkY75nddchc2Tf7Pdksjxfi5AVCcUNtCdphJ34uiAyZJ6KsoBYD7ZawoWWYyFmDJmnHAbjx3p6dR1aXomcCvxt"],"height":2,"blockSignature":"xSzWXJ4saNiXCUTjrCm9VX67YuLzxJF2UZFhFey7h1t6vYnaGgExg2kNQBLMUdzYisZdiFG8m1zfeutioSSMrpm","effectiveFee":100000000}]],
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
    200: [{"type":18,"version":3,"id":"ABuQoTMM3xu8q9knPQonvJ25zhRaiZ7fpQ4gomUFUDZ7","sender":"3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE","senderKeyType":"ed25519","senderPublicKey":"ChuzJHkbyhFP3so9NMDivS26x53BGkPJKGhbYLr3D55T","fee":500000000,"timestamp":1767225624001,"recipient":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","proofs":["2oELnBZA7g9tfPCsP2GKeD2xTW2X8q6JJRfpUQFGn4cTYXN1bLvffRpsnze2TjEmSf9HD4WZLeEV3N9pouCwHVnX"],"height":4,"blockSignature":"4PHe5npgie1AK7AutP8cRbYoVBaY2766hc97GiWEuMDvTwB9ovFfvcBbrLhvjzfApeQh9hHvWq2dY1ji8AczLr9d","effectiveFee":500000000},{"type":15,"version":3,"id":"CKtny2myaMpKQ3t7tyVKvigA2uBYzygqXEmTZYYNiR5d","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225612005,"anchors":["4deqMFcPkNR3Bv9gR5KL2WvDA5DYYjFHcRdgCyMFKWGk"],"proofs":["27qcYbGNKLAhL2pokxWWSAnfBxnHHe6oPcYKTB8iXjnnwbziNzHELFziHKXcpwnBeiQfFpZw2E1v37pM57CH9HKF"],"height":2,"blockSignature":"xSzWXJ4saNiXCUTjrCm9VX67YuLzxJF2UZFhFey7h1t6vYnaGgExg2kNQBLMUdzYisZdiFG8m1zfeutioSSMrpm","effectiveFee":35000000},{"type":23,"version":3,"id":"EsDJZxt9tUmYZx8yovZeJUiscCJwcbTzi9FZe8EBvHzF","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225612004,"statementType":16,"proofs":["2ixJJ4fuScB1MzWNzhf34GnTihst6FVBoc3zBe7kxzeT4tTM9fDXWtyDg3Tzd34nfaP2UtsbceHn4p8L1eMKb7Xo"],"subject":"4aJ7NPsNqcEGJbfBZVxrsdFrLnVbR41Fv4k4CCEMpT1W","height":2,"blockSignature":"xSzWXJ4saNiXCUTjrCm9VX67YuLzxJF2UZFhFey7h1t6vYnaGgExg2kNQBLMUdzYisZdiFG8m1zfeutioSSMrpm","effectiveFee":50000000},{"type":16,"version":4,"id":"F9aWHKKCzfVSV5gKm2fQ9YgdggwXiaQvRCms8S2WxrmG","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225612003,"associationType":1,"recipient":"3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE","proofs":["uYkLwSKx2R6GVR9HZdjh5BVEu7sUGiJSJqyghwuH4W932LoEmmPo1Pd4rdRTqvJhUk5NknXwLY4r26j1AKoufUG"],"height":2,"blockSignature":"xSzWXJ4saNiXCUTjrCm9VX67YuLzxJF2UZFhFey7h1t6vYnaGgExg2kNQBLMUdzYisZdiFG8m1zfeutioSSMrpm","effectiveFee":50000000},{"type":8,"version":3,"id":"2ZGZjq5sLNsFWazvbC68V9FsNFPay38NL8NYGrwo9LCh","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225612002,"recipient":"3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE","amount":1000000000,"proofs":["2fFvX2eVWQKYcWLbbts5rmUUJjvJVXrrqbmS1iEGMozgBorjhREptU43KjprCnhCh6gkmKti8R8AzHoJax7kNj63"],"status":"active","height":2,"blockSignature":"xSzWXJ4saNiXCUTjrCm9VX67YuLzxJF2UZFhFey7h1t6vYnaGgExg2kNQBLMUdzYisZdiFG8m1zfeutioSSMrpm","effectiveFee":100000000},{"type":12,"version":3,"id":"7jEHEMuhEtXqEzjgDN2XX3uj8jQ17se8AoiH7V1rRrjc","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225612001,"data":[{"key":"colour","type":"string","value":"green"}],"proofs":["4FoW1DDCN7h7XUGU2zufuWggw36KfcxjbazaD4tR6nuWgpYXFX6TfkZivq6Uv3jSW9VvHwMRDM1BjN6vDmLN6tgE"],"height":2,"blockSignature":"xSzWXJ4saNiXCUTjrCm9VX67YuLzxJF2UZFhFey7h1t6vYnaGgExg2kNQBLMUdzYisZdiFG8m1zfeutioSSMrpm","effectiveFee":60000000},{"type":4,"version":3,"id":"GwxLnHQPskRf7uyKrV6Qr7csenkwmjFifzwskeo187Ts","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225612000,"recipient":"3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE","amount":10000000000,"attachment":"","proofs":["31ZkY75nddchc2Tf7Pdksjxfi5AVCcUNtCdphJ34uiAyZJ6KsoBYD7ZawoWWYyFmDJmnHAbjx3p6dR1aXomcCvxt"],"height":2,"blockSignature":"xSzWXJ4saNiXCUTjrCm9VX67YuLzxJF2UZFhFey7h1t6vYnaGgExg2kNQBLMUdzYisZdiFG8m1zfeutioSSMrpm","effectiveFee":100000000},{"type":1,"version":1,"id":"36XcvCstxiEgLAWXcDQEziUrSapjD3r1QESJYqVRHVJamdSxHTadmghw6haTvb3eYCfkX1PDdGaahYFZC6XHZW6K","fee":0,"timestamp":1735689600000,"signature":"36XcvCstxiEgLAWXcDQEziUrSapjD3r1QESJYqVRHVJamdSxHTadmghw6haTvb3eYCfkX1PDdGaahYFZC6XHZW6K","recipient":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","amount":100000000000000,"height":1,"blockSignature":"53KvG3HPs4adaf5uurmqxiUr6TqWsm7hyumxXZHC55ocqmBgn36QTSBiVtmQCWrW9BSvWHRFxkBhajdJbq2PnhQn","effectiveFee":0}],
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
  "GET /transactions/bytes/:id": {
    400: {"error":101,"message":"invalid signature"},
    404: {"status":"error","details":"Transaction is not in blockchain"},
  },
  "GET /transactions/unconfirmed": {
    200: [{"type":4,"version":3,"id":"HNLx5eFWQSCaY5mxejx46xiTfcWUo2aQSontsc5P5TLT","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225630000,"recipient":"3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE","amount":100000000,"attachment":"","proofs":["4Ccmi3EMwCYVb9nyiQLoseU1qwaeWX5ML2QAcZ1J2kjBmqS6uvZwAYQEB3zS3hwvJVwkxwKbQUEQA2WpkYp5rA6L"]},{"type":8,"version":1,"id":"8Uuy4DwziYaJLFqPFgVvXWdfRmy4QN36FM3NUkN26ern","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225630002,"recipient":"3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE","amount":500000000,"signature":"2uFoHPxBfzxGSveHdWdFp8c4Ehbpfnk2TZQXH4usMXr7K3aMrVjLPdgotxwTiDaJSKTizhsdLJyyX2VReQhyGXy5","status":"canceled"},{"type":9,"version":1,"id":"Fu32yWbWT5nBhSVJsN6tMPtK5kpFiNCmqgYJfhVbGkd5","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225630003,"leaseId":"2ZGZjq5sLNsFWazvbC68V9FsNFPay38NL8NYGrwo9LCh","signature":"RXzyFQv7cYSFpsTrngUie5kDDjFFhnkjPMypJM3oNpi8aopbwK9EiY2bQKdNegsv4amj5GqxNJwZyGmbqa32x76","lease":{"type":8,"version":3,"id":"2ZGZjq5sLNsFWazvbC68V9FsNFPay38NL8NYGrwo9LCh","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225612002,"recipient":"3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE","amount":1000000000,"proofs":["2fFvX2eVWQKYcWLbbts5rmUUJjvJVXrrqbmS1iEGMozgBorjhREptU43KjprCnhCh6gkmKti8R8AzHoJax7kNj63"]}},{"type":15,"version":3,"id":"328aZ4yXfG9KpAQrfnaVxxCUuaiRrUUbuNqffusUgXtT","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":35000000,"timestamp":1767225630001,"anchors":["4YjyCyYoeTbAtpJ7Qh8GfmStHVc5ABpLZoW2RFxbfvWr"],"proofs":["3xEBNckc3EHrJRzbW4FUwxoBkjCYbuVZ1BoV75ryeRt27tSQ44aPtayp5c7HGqVveJRn3pXitYUw5XyYJ1Pt9dnK"]}],
  },
  "GET /transactions/unconfirmed/size": {
    200: {"size":4},
  },
  "GET /transactions/unconfirmed/info": {
    400: {"error":101,"message":"invalid signature"},
  },
  "GET /transactions/unconfirmed/info/:id": {
    200: {"type":4,"version":3,"id":"HNLx5eFWQSCaY5mxejx46xiTfcWUo2aQSontsc5P5TLT","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225630000,"recipient":"3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE","amount":100000000,"attachment":"","proofs":["4Ccmi3EMwCYVb9nyiQLoseU1qwaeWX5ML2QAcZ1J2kjBmqS6uvZwAYQEB3zS3hwvJVwkxwKbQUEQA2WpkYp5rA6L"]},
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
    200: {"type":4,"version":3,"id":"DY6cU48f5wAvp81C2NVX6DcAAHVPStajb7pLbCvkaene","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225630004,"recipient":"3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE","amount":2500000000,"attachment":"","proofs":["2asYnLy2TApSnGSaNDogCBdbbYbHiUpA12sEzFvqrSnbwoMNTcXPx6ju35Tg1DisCijFeXQ7y85UKjs5f9pySou1"]},
    400: {"error":1,"message":"failed to parse json message","cause":"JsonError: unexpected end of text at position 1","validationErrors":{}},
  },
  "POST /transactions/submit": {
    200: {"type":4,"version":3,"id":"7Zhn3omzjdsjUn1NQB7Qnk63qJkQ45BxRdH12ia2QnHg","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225630005,"recipient":"3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE","amount":2500000000,"attachment":"","proofs":["sFi3ZEhdbBJuPmQs1LmVZGxk53Wmm7byDhgTvn4hJbAhWp3c1qHKUi2aSaqCY6nod5teNte18q2UgBvEYusjRKX"]},
    400: {"error":1,"message":"failed to parse json message","cause":"JsonError: unexpected end of text at position 1","validationErrors":{}},
  },
  "POST /transactions/submit/:type": {
    200: {"type":4,"version":3,"id":"FV9vrHz11nyY6gYCUNPdSEYMqyqoJ8bLuAVzFT1ufARw","sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","senderKeyType":"ed25519","senderPublicKey":"HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ","fee":100000000,"timestamp":1767225630006,"recipient":"3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE","amount":2500000000,"attachment":"","proofs":["Etj1biPcqt7Eg3KJ7fqrsju4n746sgqR9M2fenT8dXXATT4nYdPiu4VhsqhULLkFE45bTdYQG7nvBswhcFY8ei8"]},
    400: {"error":199,"message":"Bad transaction type (0OIl)"},
  },
  "GET /events": {
    200: "retry: 2000\nid: 0\n\n",
    400: {"error":400,"message":"events: '' is none of block, microblock, transaction, pool"},
  },
  "GET /associations/status/:address": {
    200: {"address":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","outgoing":[{"sender":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","type":1,"recipient":"3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE","subject":null,"timestamp":1767225607000,"expires":null,"data":[]}],"incoming":[]},
    400: {"error":102,"message":"invalid address"},
  },
  "GET /associations/:address": {
    200: {"children":["3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE"],"parents":[]},
    400: {"error":"invalid limit given"},
  },
  "GET /sponsorship/given/:address": {
    200: [{"address":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","height":4,"transaction":"ABuQoTMM3xu8q9knPQonvJ25zhRaiZ7fpQ4gomUFUDZ7"}],
    400: {"error":102,"message":"invalid address"},
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
  "GET /generators/due": {
    200: {"height":5,"timestamp":1767225627496,"window":4,"generators":[{"generator":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","due":1767225632523,"blocks":4,"blockShare":1,"balance":99988684000000,"stakeShare":1}]},
    400: {"error":400,"message":"invalid limit"},
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
    200: {"system":1767225630000,"NTP":1767225630000},
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
    200: {"blockchainHeight":5,"stateHeight":5,"updatedTimestamp":1767225627496,"updatedDate":"2026-01-01T00:00:27.496Z"},
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
  "GET /node/health": {
    200: {"state":"well","reasons":[],"height":5,"timestamp":1767225627496,"peers":0,"forging":"on","version":"1.0.0","keyRoutes":"open"},
  },
  "GET /node/peers": {
    200: {"height":5,"score":"104992381404149","peers":[]},
  },
  "GET /node/resources": {
    200: {"startedAt":1767225600000,"memoryBytes":268435456,"storeBytes":1048576,"diskFreeBytes":107374182400,"diskBytes":214748364800},
  },
  "GET /health": {
    200: {"sync":true,"message":"Indexer is in sync","data":{"nodeResponse":{"blockchainHeight":5,"stateHeight":5,"updatedTimestamp":1767225627496,"updatedDate":"2026-01-01T00:00:27.496Z"},"processingHeight":5}},
  },
  "GET /info": {
    200: {"name":"indexer","version":"1.0.0","description":"Index LTO Network transactions to query information like anchors and DIDs","env":"production"},
  },
  "GET /node": {
    200: {"status":{"blockchainHeight":5,"stateHeight":5,"updatedTimestamp":1767225627496,"updatedDate":"2026-01-01T00:00:27.496Z"},"address":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt"},
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
    200: [{"226":"6wtUQ2SE59GDyAf3UUaoZZZ5CoK7G7wEtLy3YLPfcRVm"}],
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
    200: [{"address":"3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt","miningBalance":99988684000000,"timestamp":1767225632523}],
  },
  "GET /debug/historyInfo": {
    200: {"lastBlockIds":["4PHe5npgie1AK7AutP8cRbYoVBaY2766hc97GiWEuMDvTwB9ovFfvcBbrLhvjzfApeQh9hHvWq2dY1ji8AczLr9d","3HbmcknFXguE9JeRJX1XGEw5ogifNeV8ChoZRamwafYYqE5RH5RhncWdiv1pBNHMAvZjPoJoQQnzhNrtAHm3nq4","xSzWXJ4saNiXCUTjrCm9VX67YuLzxJF2UZFhFey7h1t6vYnaGgExg2kNQBLMUdzYisZdiFG8m1zfeutioSSMrpm","53KvG3HPs4adaf5uurmqxiUr6TqWsm7hyumxXZHC55ocqmBgn36QTSBiVtmQCWrW9BSvWHRFxkBhajdJbq2PnhQn"],"microBlockIds":[]},
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
