// Dates are written in UTC; on hover each also says the time here.
"use strict";
for (const element of document.querySelectorAll("time[datetime]:not([title])")) {
  const moment = new Date(element.dateTime);
  if (!Number.isNaN(moment.getTime())) element.title = `${moment.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })} here`;
}
