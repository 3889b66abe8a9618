/** The long listings of the other services. */
import { describeLongListings, largeLinear, largeNotion, largeSlack } from './long-listings.ts';

describeLongListings('Linear', largeLinear);
describeLongListings('Notion', largeNotion);
describeLongListings('Slack', largeSlack);
