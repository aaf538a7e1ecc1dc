/**
 * Credentials that are only letters and digits, so that the name they are given says what they are: kind, words one of which
 * stands in the name (or within the line before it), and the value.
 */
export const contextFormats = `
aws_secret_key         aws,secret_access_key,secretaccesskey   [A-Za-z0-9/+]{40}
azure_storage_key      accountkey,azure,storage_key            [A-Za-z0-9+/]{86}==
azure_api_key          azure,cognitive,ocp-apim                (?:[0-9a-f]{32}|[A-Za-z0-9]{84})
azure_sas              sharedaccess,sas_token,sas_key          [A-Za-z0-9+/%]{43,60}=?
datadog_key            datadog,dd_api,dd_app,dd_client         (?:[0-9a-f]{32}|[0-9a-f]{40})
twilio_key             twilio                                  (?:SK[0-9a-fA-F]{32}|[0-9a-f]{32})
mistral_key            mistral                                 [A-Za-z0-9]{32}
cohere_key             cohere,co_api                           [A-Za-z0-9]{40}
deepgram_key           deepgram                                [0-9a-f]{40}
assemblyai_key         assembly                                [0-9a-f]{32}
wandb_key              wandb,weights_and_biases                [0-9a-f]{40}
cloudflare_token       cloudflare,cf_api,cf_token              (?:[A-Za-z0-9_-]{40}|[0-9a-f]{37})
fastly_token           fastly                                  [A-Za-z0-9_-]{32}
linode_token           linode                                  [0-9a-f]{64}
hetzner_token          hetzner,hcloud                          [A-Za-z0-9]{64}
ibm_key                ibm,watson,bluemix                      [A-Za-z0-9_-]{44}
algolia_key            algolia                                 [0-9a-f]{32}
okta_token             okta                                    00[A-Za-z0-9_-]{40}
pagerduty_key          pagerduty,pager_duty,pd_api             (?:u\\+)?[A-Za-z0-9_-]{18,32}
opsgenie_key           opsgenie                                {uuid}
rollbar_token          rollbar                                 [0-9a-f]{32}
bugsnag_key            bugsnag                                 [0-9a-f]{32}
splunk_token           splunk,hec_token                        {uuid}
postmark_token         postmark                                {uuid}
heroku_key             heroku                                  {uuid}
snyk_token             snyk                                    {uuid}
codecov_token          codecov                                 {uuid}
consul_token           consul,nomad                            {uuid}
railway_token          railway                                 {uuid}
exa_key                exa_api,exa_key                         {uuid}
travis_token           travis                                  [A-Za-z0-9_-]{20,22}
twitch_secret          twitch                                  [a-z0-9]{30}
twitter_secret         twitter,x_api                           [A-Za-z0-9]{25,50}
linkedin_secret        linkedin                                [A-Za-z0-9]{16}
spotify_secret         spotify                                 [0-9a-f]{32}
dropbox_secret         dropbox                                 [a-z0-9]{15}
zendesk_token          zendesk                                 [A-Za-z0-9]{40}
intercom_token         intercom                                [A-Za-z0-9+/_-]{59}=
mattermost_token       mattermost                              [a-z0-9]{26}
messagebird_key        messagebird,message_bird                [A-Za-z0-9]{25}
rapidapi_key           rapidapi                                [A-Za-z0-9_-]{50}
sumologic_key          sumo                                    [A-Za-z0-9]{64}
confluent_key          confluent                               [A-Za-z0-9/+]{16,64}
mixpanel_key           mixpanel                                [0-9a-f]{32}
amplitude_key          amplitude                               [0-9a-f]{32}
mailjet_key            mailjet                                 [0-9a-f]{32}
vercel_token           vercel                                  [A-Za-z0-9]{24}
sanity_token           sanity                                  sk[A-Za-z0-9]{78,200}
ngrok_token            ngrok                                   [A-Za-z0-9]{20,30}_[A-Za-z0-9]{15,30}
wireguard_key          wireguard,privatekey,presharedkey       [A-Za-z0-9+/]{43}=
adafruit_key           adafruit,aio_key                        (?:aio_)?[A-Za-z0-9_]{28,32}
coinbase_key           coinbase                                [A-Za-z0-9_-]{32,64}
kraken_key             kraken                                  [A-Za-z0-9+/]{54,86}={0,2}
`;
