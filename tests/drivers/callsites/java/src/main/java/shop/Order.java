package shop;

import org.springframework.data.annotation.Id;
import org.springframework.data.mongodb.core.mapping.Document;

@Document("spring")
class Order {
  @Id public int id;
  public int customer;
  public int amount;
  public String status;
  public String color;
}
