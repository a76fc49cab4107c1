package shop;

import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
class Application {}
