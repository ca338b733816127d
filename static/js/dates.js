// Dates are written in UTC; hovering shows local time.
"use strict";
for (const element of document.querySelectorAll("time[datetime]:not([title])")) {
  const moment = new Date(element.dateTime);
  if (!Number.isNaN(moment.getTime())) element.title = `${moment.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })} local time`;
}
