// Shows the API's description with Swagger UI.
const place = document.querySelector("#reference");
SwaggerUIBundle({ url: place.dataset.description, domNode: place, deepLinking: true, validatorUrl: null });
