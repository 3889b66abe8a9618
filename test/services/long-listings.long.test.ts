/** The long listings of the other services. */
import { describeLongListings, largeLinear, largeNotion } from './long-listings.ts';

describeLongListings('Linear', largeLinear);
describeLongListings('Notion', largeNotion);
